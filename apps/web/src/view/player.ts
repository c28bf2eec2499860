// A recorded motion that plays by itself, in the lab's own view: what `run.view()` of Python shows (apps/python/catena/_view.py). It is built
// as one script, catena-view.js, which finds the motion in the page that it stands in.
import type { BodyInfo, ChainInfo, CoordinateInfo, Drawing, JointInfo, Point, Turn } from '../engine/protocol';
import { solidsOf, type BodyPose } from '../rows';
import { View } from './view';

// Lists are numbers of 16 bits: places `finest` times as large as the motion's half, about its middle; turns 32767 times.
interface Motion {
  chains: ChainInfo[];
  bodies: BodyInfo[];
  joints: JointInfo[];
  coordinates: CoordinateInfo[];
  drawing: Drawing;
  frames: number;
  fps: number;
  end: number; // s of motion
  trail: number; // s of motion
  middle: Point;
  half: number;
  finest: number;
  ends: string; // of each frame: all links, one chain behind the other
  pivots: string; // chains
  places: string; // bodies
  turns: string;
}

const numbers = (text: string) => new Int16Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

class Player {
  private readonly view: View;
  private readonly solids: BodyInfo[];
  private readonly lists: Record<'ends' | 'pivots' | 'places' | 'turns', Int16Array>;
  private frame = 0;
  private trailed = -1;
  private playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  private before = 0;
  private held: { x: number; y: number } | null = null;

  constructor(private readonly motion: Motion, private readonly canvas: HTMLCanvasElement, bar: HTMLElement) {
    const { chains, joints, drawing, coordinates, trail } = motion;
    this.lists = { ends: numbers(motion.ends), pivots: numbers(motion.pivots), places: numbers(motion.places), turns: numbers(motion.turns) };
    this.solids = solidsOf(motion);
    this.view = new View(canvas);
    this.view.trails.seconds = trail;
    this.view.setCovered(0, 0);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    this.view.setDark(dark.matches);
    this.view.setChains(chains, 0, true, this.solids, joints, drawing);
    this.view.setMode(coordinates.length > 2 || (coordinates.length === 0 && !this.view.planar) ? '3d' : '2d');
    dark.addEventListener('change', () => this.view.setDark(dark.matches));
    this.controls(bar);
    this.gestures();
    new ResizeObserver(() => this.view.resize()).observe(canvas);
    this.view.resize();
    requestAnimationFrame((now) => this.tick(now));
  }

  private controls(bar: HTMLElement) {
    const [play, flat] = [...bar.querySelectorAll('button')] as [HTMLButtonElement, HTMLButtonElement];
    const slider = bar.querySelector('input')!;
    const show = () => {
      play.textContent = this.playing ? '\u275a\u275a' : '\u25b6';
      flat.textContent = this.view.mode === '2d' ? '3D' : '2D';
    };
    slider.max = String(this.motion.frames - 1);
    play.onclick = () => {
      this.playing = !this.playing;
      show();
    };
    flat.onclick = () => {
      this.view.setMode(this.view.mode === '2d' ? '3d' : '2d');
      this.view.fit();
      show();
    };
    slider.oninput = () => {
      this.frame = Number(slider.value);
      this.playing = false;
      show();
    };
    show();
  }

  // In space the camera looks after itself; the flat picture is moved. The wheel zooms both, a double click sets both back.
  private gestures() {
    const { canvas, view } = this;
    canvas.addEventListener('pointerdown', (event) => {
      if (view.mode === '3d') return;
      this.held = { x: event.clientX, y: event.clientY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', ({ clientX: x, clientY: y }) => {
      if (!this.held) return;
      view.panBy(x - this.held.x, y - this.held.y);
      this.held = { x, y };
    });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (this.held = null));
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (view.mode === '2d') view.zoomBy(Math.exp(-event.deltaY / 600));
    }, { passive: false });
    canvas.addEventListener('dblclick', () => view.fit());
  }

  private timeOf(frame: number): number {
    return (this.motion.end * frame) / Math.max(1, this.motion.frames - 1);
  }

  // Points of one of the lists at a frame, x y z one after the other.
  private points(list: 'ends' | 'pivots' | 'places', frame: number): Float32Array {
    const { frames, half, finest, middle } = this.motion;
    const size = this.lists[list].length / frames;
    return Float32Array.from(this.lists[list].subarray(frame * size, (frame + 1) * size), (x, i) => (x * half) / finest + middle[i % 3]!);
  }

  private poses(frame: number): BodyPose[] {
    const places = this.points('places', frame);
    return this.solids.map((_, body) => {
      const first = 4 * (frame * this.solids.length + body);
      const turn = [...this.lists.turns.subarray(first, first + 4)];
      const size = Math.hypot(...turn) || 1;
      return { position: [...places.subarray(3 * body, 3 * body + 3)] as Point, orientation: turn.map((c) => c / size) as Turn };
    });
  }

  // Where things were in the seconds before, also after a jump.
  private drawTrails(frame: number) {
    if (frame === this.trailed) return;
    const { trails, followed, linkCount } = this.view;
    if (frame < this.trailed || frame > this.trailed + 20) {
      trails.clear();
      this.trailed = frame;
      while (this.trailed >= 0 && this.timeOf(this.trailed) > this.timeOf(frame) - trails.seconds) this.trailed--;
    }
    while (this.trailed < frame) {
      const [ends, places] = [this.points('ends', ++this.trailed), this.points('places', this.trailed)];
      followed.forEach((thing, bob) => {
        const [list, at] = thing < linkCount ? [ends, 3 * thing] : [places, 3 * (thing - linkCount)];
        trails.add(bob, this.timeOf(this.trailed), list[at]!, list[at + 1]!, list[at + 2]!);
      });
    }
  }

  private tick(now: number) {
    const { frames, fps, end } = this.motion;
    if (this.playing && this.before) this.frame = (this.frame + ((now - this.before) / 1000) * fps) % frames;
    this.before = now;
    const frame = Math.floor(this.frame);
    this.drawTrails(frame);
    const pivots = this.points('pivots', frame);
    this.view.draw({ places: this.points('ends', frame), strains: null, ghosts: [], pivots: this.motion.chains.map((_, c) => [...pivots.subarray(3 * c, 3 * c + 3)] as Point), bodies: this.poses(frame), ghostBodies: [], t: this.timeOf(frame) });
    document.querySelector('input')!.value = String(frame);
    document.querySelector('output')!.textContent = `t = ${this.timeOf(frame).toFixed(end < 1 ? 4 : 2)} s`;
    document.body.dataset.frame = String(frame); // for tests
    requestAnimationFrame((next) => this.tick(next));
  }
}

const canvas = document.querySelector('canvas')!;
try {
  new Player(JSON.parse(document.getElementById('motion')!.textContent!) as Motion, canvas, document.querySelector('div')!);
} catch (mistake) {
  canvas.replaceWith(`The motion cannot be drawn here: ${(mistake as Error).message}`);
}
