// Texts, a scale and axes over the picture, in pixels: drawn into the same canvas, so that pictures and films have them.
import * as THREE from 'three';

export interface Label {
  text: string;
  x: number; // pixels from the left
  y: number; // and from the top
  color: string;
  align?: 'left' | 'center' | 'right';
}

export interface Stroke {
  from: [number, number];
  to: [number, number];
  color: string;
}

interface Slot {
  sprite: THREE.Sprite;
  canvas: HTMLCanvasElement;
  drawn: string;
  width: number;
}

const mostStrokes = 16;
const height = 18; // of a line of text, px
const font = `500 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans JP', sans-serif`;

export class Labels {
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.OrthographicCamera(0, 1, 0, 1, -1, 1);
  private readonly slots: Slot[] = [];
  private readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false }));
  private shown: Label[] = [];
  private stroked = '';
  scale = 1; // of texts, on large screens

  constructor() {
    this.lines.frustumCulled = false;
    for (const name of ['position', 'color']) this.lines.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(6 * mostStrokes), 3));
    this.scene.add(this.lines);
  }

  // What stands over the picture now, as tests and screen readers may ask.
  get texts(): string[] {
    return this.shown.map(({ text }) => text);
  }

  get placed(): readonly Label[] {
    return this.shown;
  }

  draw(renderer: THREE.WebGLRenderer, labels: Label[], strokes: Stroke[], width: number, tall: number, halo: string) {
    this.shown = labels;
    Object.assign(this.camera, { left: 0, right: width, top: tall, bottom: 0 });
    this.camera.updateProjectionMatrix();
    const pixels = renderer.getPixelRatio();
    labels.forEach((label, i) => this.put(i, label, tall, pixels, halo));
    this.slots.forEach(({ sprite }, i) => (sprite.visible = i < labels.length));
    this.putStrokes(strokes, tall);
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.render(this.scene, this.camera);
    renderer.autoClear = true;
  }

  private put(i: number, { text, x, y, color, align = 'left' }: Label, tall: number, pixels: number, halo: string) {
    const slot = (this.slots[i] ??= this.newSlot());
    const wanted = `${text}|${color}|${halo}|${pixels}|${this.scale}`;
    if (slot.drawn !== wanted) this.write(slot, text, color, pixels, halo);
    slot.drawn = wanted;
    slot.sprite.center.set(align === 'left' ? 0 : align === 'right' ? 1 : 0.5, 0.5);
    slot.sprite.position.set(Math.round(x), Math.round(tall - y), 0);
  }

  private newSlot(): Slot {
    const canvas = document.createElement('canvas');
    const texture = new THREE.CanvasTexture(canvas);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.minFilter = THREE.LinearFilter;
    texture.generateMipmaps = false;
    const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, transparent: true, depthTest: false, depthWrite: false }));
    this.scene.add(sprite);
    return { sprite, canvas, drawn: '', width: 0 };
  }

  private write(slot: Slot, text: string, color: string, pixels: number, halo: string) {
    const pen = slot.canvas.getContext('2d')!;
    pen.font = font;
    const across = Math.ceil(pen.measureText(text).width) + 8;
    const size = pixels * this.scale;
    // A texture keeps its size on the graphics card: another size is another texture.
    if (slot.canvas.width !== Math.ceil(across * size) || slot.canvas.height !== Math.ceil(height * size)) slot.sprite.material.map!.dispose();
    slot.canvas.width = Math.ceil(across * size);
    slot.canvas.height = Math.ceil(height * size);
    pen.setTransform(size, 0, 0, size, 0, 0);
    pen.font = font;
    pen.textBaseline = 'middle';
    pen.lineJoin = 'round';
    pen.lineWidth = 3;
    pen.strokeStyle = halo;
    pen.strokeText(text, 4, height / 2 + 0.5);
    pen.fillStyle = color;
    pen.fillText(text, 4, height / 2 + 0.5);
    slot.sprite.material.map!.needsUpdate = true;
    slot.sprite.scale.set(across * this.scale, height * this.scale, 1);
  }

  private putStrokes(strokes: Stroke[], tall: number) {
    const stamp = JSON.stringify([strokes, tall]);
    if (stamp === this.stroked) return;
    this.stroked = stamp;
    const { position, color } = this.lines.geometry.attributes as { position: THREE.BufferAttribute; color: THREE.BufferAttribute };
    const tint = new THREE.Color();
    strokes.slice(0, mostStrokes).forEach(({ from, to, color: name }, i) => {
      [from, to].forEach(([x, y], end) => {
        position.setXYZ(2 * i + end, x, tall - y, 0);
        color.setXYZ(2 * i + end, tint.set(name).r, tint.g, tint.b);
      });
    });
    position.needsUpdate = color.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, 2 * Math.min(mostStrokes, strokes.length));
    this.lines.visible = strokes.length > 0;
  }
}

// A length of 1, 2 or 5 times a power of ten that takes about `wish` pixels.
export function roundLength(pixelsPerMetre: number, wish: number): number {
  const most = wish / pixelsPerMetre;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((digit) => digit * power).find((length) => length <= most * 1.0001) ?? power;
}

const units: [number, string][] = [[1e3, 'km'], [1, 'm'], [1e-2, 'cm'], [1e-3, 'mm'], [1e-6, 'µm'], [1e-9, 'nm']];

export function lengthText(metres: number): string {
  const [size, unit] = units.find(([one]) => metres >= one * 0.9999) ?? units[units.length - 1]!;
  return `${Number((metres / size).toPrecision(3))} ${unit}`;
}
