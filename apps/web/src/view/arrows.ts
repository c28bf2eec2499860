// Vectors in space: velocities, accelerations, forces and fields, each kind with a scale of its own.
import * as THREE from 'three';
import type { Point } from '../engine/protocol';

export interface Arrow {
  kind: string;
  at: Point;
  vector: Point;
  text?: string; // its value, at its tip
}

const up = new THREE.Vector3(0, 1, 0);

// Told apart by hue and by name.
export const arrowColors: Record<string, { dark: string; light: string }> = {
  velocity: { dark: '#5ee08d', light: '#0a7a3d' },
  acceleration: { dark: '#ffb454', light: '#a85a00' },
  force: { dark: '#ff8f80', light: '#b3261e' },
  tension: { dark: '#c9a6ff', light: '#6a3fc4' },
  reaction: { dark: '#ff9fe0', light: '#a0307c' },
  wind: { dark: '#8fb7d9', light: '#5b7f9e' },
  electric: { dark: '#d9c98f', light: '#8f7a2e' },
  magnetic: { dark: '#9fd3c4', light: '#3f7f70' },
};

export const arrowColor = (kind: string, dark: boolean) => arrowColors[kind]?.[dark ? 'dark' : 'light'] ?? '#888888';

const fieldKinds = ['wind', 'electric', 'magnetic'];

export class Arrows {
  readonly group = new THREE.Group();
  private shafts!: THREE.InstancedMesh;
  private heads!: THREE.InstancedMesh;
  private room = 0;
  private readonly matrix = new THREE.Matrix4();
  private readonly from = new THREE.Vector3();
  private readonly along = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly size = new THREE.Vector3();
  private readonly color = new THREE.Color();
  // The largest of a kind that was seen lately: the longest arrow, so that lengths can be compared over time.
  private readonly largest = new Map<string, number>();
  private tips: { place: Point; arrow: Arrow }[] = [];

  clear() {
    this.largest.clear();
    this.update([], 1, true);
  }

  // Where the arrows end, for their values.
  get ends(): readonly { place: Point; arrow: Arrow }[] {
    return this.tips;
  }

  update(arrows: Arrow[], reach: number, dark: boolean) {
    if (arrows.length > this.room) this.makeRoom(Math.max(64, 2 * arrows.length));
    this.group.visible = arrows.length > 0;
    if (!this.room) return;
    for (const kind of new Set(arrows.map((arrow) => arrow.kind))) {
      const now = Math.max(0, ...arrows.filter((arrow) => arrow.kind === kind).map(({ vector }) => Math.hypot(...vector)).filter(Number.isFinite));
      this.largest.set(kind, Math.max(now, 0.995 * (this.largest.get(kind) ?? 0)));
    }
    this.tips = [];
    let shown = 0;
    for (const arrow of arrows) {
      const { kind, at, vector } = arrow;
      const isField = fieldKinds.includes(kind);
      const part = Math.hypot(...vector) / (this.largest.get(kind) || 1);
      // Fields of magnets fall off so fast that their arrows would vanish.
      const length = isField ? 0.22 * reach * Math.cbrt(part) : 0.4 * reach * part;
      if (!(length > reach / 200)) continue;
      this.from.fromArray(at);
      this.along.fromArray(vector).normalize();
      this.turn.setFromUnitVectors(up, this.along);
      const faint = isField ? 0.5 : 1;
      const head = Math.min(0.05 * reach, 0.45 * length) * faint;
      this.size.set(0.009 * reach * faint, length - head, 0.009 * reach * faint);
      this.shafts.setMatrixAt(shown, this.matrix.compose(this.from, this.turn, this.size));
      this.from.addScaledVector(this.along, length - head);
      this.size.set(0.45 * head, head, 0.45 * head);
      this.heads.setMatrixAt(shown, this.matrix.compose(this.from, this.turn, this.size));
      for (const mesh of [this.shafts, this.heads]) mesh.setColorAt(shown, this.color.set(arrowColor(kind, dark)));
      this.tips.push({ place: this.from.addScaledVector(this.along, head).toArray(), arrow });
      shown++;
    }
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = shown;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  private makeRoom(room: number) {
    this.room = room;
    for (const mesh of [this.shafts, this.heads].filter(Boolean)) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    const material = () => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material(), room);
    this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0), material(), room);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.group.add(mesh);
    }
  }
}
