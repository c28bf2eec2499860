// Where bobs and bodies have been lately, fading with age; and the curves of marked points, which stay.
import * as THREE from 'three';
import { Curves } from './curves';
import { Ribbon } from './ribbon';

const mostPoints = 480;
const pieces = 4; // of the way between two points, where it bends

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
    this.ribbon.setRoom(Math.max(1, colors.length * mostPoints * pieces));
  }

  setSize(width: number, height: number, pixels: number) {
    this.ribbon.setSize(width, height, pixels);
    this.curves.setSize(width, height, pixels);
  }

  clear() {
    this.fade();
    this.curves.clear();
  }

  // Nothing of the last seconds is seen any more; curves stay.
  fade() {
    this.counts.fill(0);
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
      const count = this.counts[bob]!;
      const place = (i: number) => points.subarray(4 * i + 1, 4 * i + 4);
      for (let i = 1; i < count; i++) {
        const age = (now - points[4 * i]!) / this.seconds;
        if (age >= 1 || age < 0) continue; // forgotten, or computed ahead of what is shown
        const before = Math.min(1, (now - points[4 * i - 4]!) / this.seconds);
        const way = wayBetween(place(Math.max(0, i - 2)), place(i - 1), place(i), place(Math.min(count - 1, i + 1)));
        for (let k = 1; k < way.length; k++) {
          const at = (part: number) => before + ((age - before) * part) / (way.length - 1);
          this.ribbon.add(way[k - 1]!, way[k]!, at(k - 1), at(k), this.colors[bob]!);
        }
      }
    });
    this.ribbon.end();
  }
}

// From b to c: straight, or where it bends the cubic whose slopes are the chords from a to c and from b to d (Catmull and Rom).
function wayBetween(a: Float32Array, b: Float32Array, c: Float32Array, d: Float32Array): Float32Array[] {
  const bend = Math.max(turn(a, b, c), turn(b, c, d));
  if (bend < 0.02) return [b, c];
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const s = k / pieces;
    const [h10, h01, h11] = [s * (1 - s) * (1 - s), s * s * (3 - 2 * s), s * s * (s - 1)];
    return b.map((x, i) => (1 - h01) * x + h01 * c[i]! + 0.5 * (h10 * (c[i]! - a[i]!) + h11 * (d[i]! - x)));
  });
}

// How much the way turns at b: 0 for straight on, 2 for back.
function turn(a: Float32Array, b: Float32Array, c: Float32Array): number {
  let [along, p, q] = [0, 0, 0];
  for (let i = 0; i < 3; i++) {
    const [before, after] = [b[i]! - a[i]!, c[i]! - b[i]!];
    along += before * after;
    p += before * before;
    q += after * after;
  }
  return p * q > 0 ? 1 - along / Math.sqrt(p * q) : 0;
}
