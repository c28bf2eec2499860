// Where bobs and bodies have been lately, fading with age; and the curves of marked points, which stay.
import * as THREE from 'three';
import { Curves } from './curves';
import { Ribbon } from './ribbon';

const mostPoints = 480;

export class Trails {
  readonly curves = new Curves();
  seconds = 4;
  private readonly ribbon = new Ribbon(3);
  private points: Float32Array[] = []; // per bob: t x y z, oldest first
  private counts: number[] = [];
  private colors: THREE.Color[] = [];

  get mesh() {
    return this.ribbon.mesh;
  }

  setBobs(colors: string[]) {
    this.colors = colors.map((color) => new THREE.Color(color));
    if (this.points.length === colors.length && colors.length > 0) return;
    this.points = colors.map(() => new Float32Array(4 * mostPoints));
    this.counts = colors.map(() => 0);
    this.ribbon.setRoom(Math.max(1, colors.length * mostPoints));
  }

  setSize(width: number, height: number, pixels: number) {
    this.ribbon.setSize(width, height, pixels);
    this.curves.setSize(width, height, pixels);
  }

  clear() {
    this.counts.fill(0);
    this.curves.clear();
  }

  // Points that are remembered of the first bob.
  get length(): number {
    return this.counts[0] ?? 0;
  }

  forgetAfter(t: number) {
    this.points.forEach((points, bob) => {
      let count = this.counts[bob]!;
      while (count && points[4 * (count - 1)]! > t) count--;
      this.counts[bob] = count;
    });
    this.curves.forgetAfter(t);
  }

  add(bob: number, t: number, x: number, y: number, z: number) {
    const points = this.points[bob]!;
    let count = this.counts[bob]!;
    // As many points per second as there is room for.
    if (count && t - points[4 * (count - 1)]! < this.seconds / (mostPoints - 20)) return;
    if (count === mostPoints) {
      const keep = mostPoints - 16;
      points.copyWithin(0, 4 * (count - keep), 4 * count);
      count = keep;
    }
    points.set([t, x, y, z], 4 * count);
    this.counts[bob] = count + 1;
  }

  update(now: number) {
    this.ribbon.begin();
    this.points.forEach((points, bob) => {
      for (let i = 1; i < this.counts[bob]!; i++) {
        const age = (now - points[4 * i]!) / this.seconds;
        if (age >= 1 || age < 0) continue; // forgotten, or computed ahead of what is shown
        const before = Math.min(1, (now - points[4 * i - 4]!) / this.seconds);
        this.ribbon.add(points.subarray(4 * i - 3, 4 * i), points.subarray(4 * i + 1, 4 * i + 4), before, age, this.colors[bob]!);
      }
    });
    this.ribbon.end();
  }
}
