// Coupler curves: the whole way of points that a person has marked on bodies.
import * as THREE from 'three';
import type { Point } from '../engine/protocol';
import type { BodyPose } from '../rows';
import { Ribbon } from './ribbon';

const mostPoints = 15000; // of a curve: one of every tick that is traced

export interface Mark {
  body: number;
  point: Point; // in its frame
  color: string;
}

interface Curve extends Mark {
  values: number[]; // t x y z, oldest first
}

export class Curves {
  private readonly ribbon = new Ribbon(2.2);
  private curves: Curve[] = [];
  private readonly at = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  spacing = 0.01; // m: nearer points are left out

  get mesh() {
    return this.ribbon.mesh;
  }

  get marks(): readonly Mark[] {
    return this.curves;
  }

  // Numbers kept of all of them.
  get length(): number {
    return this.curves.reduce((sum, { values }) => sum + values.length, 0);
  }

  // x y z of the points kept of a curve.
  pointsOf(curve: number): Point[] {
    const values = this.curves[curve]?.values ?? [];
    return Array.from({ length: values.length / 4 }, (_, i) => values.slice(4 * i + 1, 4 * i + 4) as Point);
  }

  add(mark: Mark) {
    this.curves.push({ ...mark, values: [] });
    this.ribbon.setRoom(mostPoints * this.curves.length);
  }

  // Bodies have other numbers from now on; -1: this one is gone.
  rename(numberOf: (body: number) => number) {
    this.curves = this.curves.map((curve) => ({ ...curve, body: numberOf(curve.body) })).filter(({ body }) => body >= 0);
  }

  removeAll() {
    this.curves = [];
  }

  clear() {
    for (const curve of this.curves) curve.values = [];
  }

  forgetAfter(t: number) {
    for (const { values } of this.curves) while (values.length && values[values.length - 4]! > t) values.length -= 4;
  }

  forgetBefore(t: number) {
    for (const { values } of this.curves) {
      let gone = 0;
      while (gone < values.length && values[gone]! < t) gone += 4;
      if (gone) values.splice(0, gone);
    }
  }

  // Where bodies are at a time. `anew`: the point is kept however near the last one is, and leaving out begins again there.
  take(t: number, poseOf: (body: number) => BodyPose | undefined, anew = false) {
    for (const { body, point, values } of this.curves) {
      const pose = poseOf(body);
      if (!pose) continue;
      const [w, x, y, z] = pose.orientation;
      this.at.fromArray(point).applyQuaternion(this.turn.set(x, y, z, w));
      const place = this.at.toArray().map((c, i) => c + pose.position[i]!) as Point;
      if (!place.every(Number.isFinite)) continue; // the body was not there then
      if (values.length && values[values.length - 4]! >= t) continue; // it is known
      const last = values.slice(-3);
      if (!anew && last.length && Math.hypot(...place.map((c, i) => c - last[i]!)) < this.spacing) continue;
      values.push(t, ...place);
    }
  }

  // What is taken now was before all that is known.
  before(take: () => void) {
    const known = this.curves.map(({ values }) => values);
    this.clear();
    take();
    this.curves.forEach((curve, i) => (curve.values = [...curve.values, ...known[i]!]));
  }

  setSize(width: number, height: number, pixels: number) {
    this.ribbon.setSize(width, height, pixels);
  }

  update(now: number) {
    this.mesh.visible = this.curves.length > 0;
    if (!this.mesh.visible) return;
    this.ribbon.begin();
    for (const { values, color } of this.curves) {
      const tint = new THREE.Color(color);
      for (let i = 4; i < values.length && values[i]! <= now + 1e-9; i += 4) this.ribbon.add(values.slice(i - 3, i), values.slice(i + 1, i + 4), 0, 0, tint);
    }
    this.ribbon.end();
  }
}
