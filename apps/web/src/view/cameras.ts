// The two ways of looking: flat, face on, and from anywhere in space. Both fit what moves and follow what leaves, until
// a hand has chosen to look elsewhere.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Ball, Basis, Extent } from './frame';
import type { Corner } from './notes';

export type Mode = '2d' | '3d';

const mostSpread = 50; // what flies apart is not followed for ever
const margin = 1.1; // around what is fitted in the flat view
const rim = 0.04; // of the picture, on either side, where nothing that is followed goes

interface Bounds {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export class Cameras {
  readonly spatial = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly orbit: OrbitControls;
  mode: Mode = '2d';
  overhead = 0; // pixels at the top that something else covers
  underneath = 78; // and at the bottom: the transport
  corner: Corner = { width: 0, height: 0 }; // above that, at the left: axes and scale
  private readonly flat = new THREE.OrthographicCamera();
  private basis: Basis = { right: new THREE.Vector3(1, 0, 0), up: new THREE.Vector3(0, 0, 1), eye: new THREE.Vector3(0, -1, 0) };
  private extent: Extent = { center: new THREE.Vector3(), reach: 1, across: 1, upward: 1, hangs: true };
  private zoom = 1;
  private pan = new THREE.Vector2();
  private drift = new THREE.Vector2(); // after what left, in the flat view
  private spread = 1;
  private closeness = 1; // less: nearer than where all is seen that could be reached
  private following = true;
  private handled = false; // a hand moved the camera since it was looked after
  private followedAt = 0; // ms
  private been: Bounds | null = null; // where things were since then, in the flat view

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.spatial.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.spatial, canvas);
    this.orbit.enableDamping = false;
    this.orbit.enabled = false;
    this.orbit.addEventListener('end', () => (this.handled = true));
  }

  look(basis: Basis, extent: Extent) {
    this.basis = basis;
    this.extent = extent;
  }

  // `things`: what is there now. A long chain that is coiled up is seen from near by, until it leaves.
  fit(things: Ball[]) {
    const { center, hangs } = this.extent;
    const { right, up, eye } = this.basis;
    const farthest = Math.max(0, ...things.map(({ at, radius }) => at.distanceTo(center) + radius)) / this.extent.reach;
    this.closeness = farthest > 0 && farthest < 0.35 && !this.extent.empty ? Math.max(0.1, 1.4 * farthest) : 1;
    const reach = this.closeness * this.extent.reach;
    this.zoom = this.spread = 1;
    this.pan.set(0, 0);
    this.drift.set(0, 0);
    this.following = true;
    this.handled = false;
    this.been = null;
    // What hangs is mostly below.
    this.orbit.target.copy(center).addScaledVector(up, hangs ? -0.25 * reach : 0);
    const way = right.clone().multiplyScalar(0.3).addScaledVector(eye, 0.92).addScaledVector(up, 0.25).normalize();
    const half = Math.max(this.extent.upward, this.extent.across / Math.max(0.1, this.spatial.aspect)) * (hangs ? 0.85 : 1) * this.closeness;
    this.spatial.position.copy(this.orbit.target).addScaledVector(way, this.distanceFor(half) + 0.3 * reach);
    this.orbit.update();
  }

  // From where so much above and below the target is seen, beside what is covered.
  private distanceFor(half: number): number {
    const { low, high } = this.covered();
    return (1.06 * half) / (1 - low - high) / Math.tan((this.spatial.fov * Math.PI) / 360);
  }

  values(): number[] {
    return [...this.spatial.position.toArray(), ...this.orbit.target.toArray(), this.zoom / (this.spread * this.closeness), this.pan.x + this.drift.x, this.pan.y + this.drift.y];
  }

  setValues(values: number[]) {
    if (values.length !== 9 || !values.every(Number.isFinite)) return;
    this.spatial.position.fromArray(values);
    this.orbit.target.fromArray(values, 3);
    this.zoom = Math.min(400, Math.max(0.01, values[6]!));
    this.pan.set(values[7]!, values[8]!);
    this.drift.set(0, 0);
    this.spread = this.closeness = 1;
    this.handled = true;
    this.orbit.update();
  }

  zoomBy(factor: number) {
    this.handled = true;
    if (this.mode === '2d') this.zoom = Math.min(40, Math.max(0.2, this.zoom * factor));
    else this.spatial.position.sub(this.orbit.target).divideScalar(factor).add(this.orbit.target);
  }

  panBy(dx: number, dy: number) {
    this.handled = true;
    const unit = (2 * this.flat.top) / this.canvas.clientHeight;
    this.pan.x -= dx * unit;
    this.pan.y += dy * unit;
  }

  turnBy(angle: number) {
    this.spatial.position.sub(this.orbit.target).applyAxisAngle(this.spatial.up, angle).add(this.orbit.target);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.spatial.aspect = width / height;
    // A narrow screen needs to stand farther away.
    this.spatial.fov = width < height ? 40 * Math.min(1.6, height / width) : 40;
  }

  active(): THREE.Camera {
    return this.mode === '3d' ? this.inSpace() : this.inPlane();
  }

  // Near and far planes go with the distance, so that nothing is cut off however large it is.
  private inSpace(): THREE.Camera {
    const distance = Math.max(1e-12, this.spatial.position.distanceTo(this.orbit.target));
    this.spatial.near = distance / 300;
    this.spatial.far = 2 * distance + 40 * this.extent.reach;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { low, high, left } = this.covered();
    this.spatial.setViewOffset(width, height, (-left / 2) * width, ((low - high) / 2) * height, width, height); // updates the projection
    this.spatial.updateMatrixWorld();
    return this.spatial;
  }

  // Parts of the height that are covered, above and below, and of the width, at the left. What is seen stands beside the axes
  // or above them, wherever it has more room; beside them it goes to the right only as far as it must (`left`).
  private covered() {
    const [width, height] = [Math.max(1, this.canvas.clientWidth), Math.max(200, this.canvas.clientHeight)];
    const { across, upward } = this.extent;
    const high = Math.min(0.4, this.overhead / height);
    const pixelsPerUnit = (free: number, low: number) => Math.min(free / across, (height * (1 - high) - low) / upward) / (2 * margin);
    const beside = pixelsPerUnit(width - this.corner.width, this.underneath);
    const above = pixelsPerUnit(width, this.underneath + this.corner.height);
    if (beside < above) return { low: (this.underneath + this.corner.height) / height, high, left: 0, taken: 0, beside: false };
    const taken = this.corner.width / width;
    const left = 2 * (taken + (margin * beside * across) / width) - 1;
    return { low: this.underneath / height, high, left: Math.min(taken, Math.max(0, left)), taken, beside: true };
  }

  // Whether what is seen stands beside the axes, not above them.
  get beside(): boolean {
    return this.covered().beside;
  }

  // What the flat view shows: half its height, where its middle is from the centre, along right and up, and what of it
  // nothing covers.
  private window() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { low, high, left, taken } = this.covered();
    const half = (margin * this.closeness * this.spread * Math.max(this.extent.upward / (1 - low - high), (this.extent.across * height) / Math.max(1, width) / (1 - left))) / this.zoom;
    const aspect = width / Math.max(1, height);
    const middle = { x: this.pan.x + this.drift.x - left * half * aspect, y: this.pan.y + this.drift.y + (high - low) * half };
    const side = half * aspect * (1 - rim);
    const free = { left: middle.x - side + 2 * taken * half * aspect, right: middle.x + side, bottom: middle.y - half * (1 - 2 * low), top: middle.y + half * (1 - 2 * high) };
    return { half, aspect, middle, free };
  }

  private inPlane(): THREE.Camera {
    const { half, aspect, middle } = this.window();
    const depth = 30 * this.extent.reach * this.spread;
    Object.assign(this.flat, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: 0, far: 2 * depth });
    const target = this.extent.center.clone().addScaledVector(this.basis.right, middle.x).addScaledVector(this.basis.up, middle.y);
    this.flat.up.copy(this.basis.up);
    this.flat.position.copy(target).addScaledVector(this.basis.eye, depth);
    this.flat.lookAt(target);
    this.flat.updateProjectionMatrix();
    this.flat.updateMatrixWorld();
    return this.flat;
  }

  pixelsPerUnit(): number {
    if (this.mode === '2d') return this.canvas.clientHeight / (2 * this.window().half || 1);
    const distance = this.spatial.position.distanceTo(this.orbit.target);
    return this.canvas.clientHeight / (2 * distance * Math.tan((this.spatial.fov * Math.PI) / 360));
  }

  // Keeps these in sight.
  follow(all: Ball[]) {
    const balls = all.filter(({ at }) => [at.x, at.y, at.z].every(Number.isFinite));
    if (!balls.length) return;
    const now = performance.now();
    const frames = Math.min(30, Math.max(1, (60 * (now - this.followedAt)) / 1000)); // sixtieths of a second since the last one
    this.followedAt = now;
    if (this.handled) {
      this.following = this.mode === '2d' ? this.sees(this.boundsOf(balls)) : this.seesInSpace(balls);
      this.handled = false;
    }
    if (!this.following) return;
    if (this.mode === '2d') this.followInPlane(this.withWhereTheyWere(this.boundsOf(balls)));
    else if (!this.seesInSpace(balls)) this.followInSpace(balls, frames);
  }

  // What goes round and comes back is seen with all of its way: so the picture comes to rest. What flies away leaves it behind.
  private withWhereTheyWere(now: Bounds): Bounds {
    const before = this.been ?? now;
    const both = { left: Math.min(before.left, now.left), right: Math.max(before.right, now.right), bottom: Math.min(before.bottom, now.bottom), top: Math.max(before.top, now.top) };
    const far = both.right - both.left > 4 * this.extent.across || both.top - both.bottom > 4 * this.extent.upward;
    this.been = far ? now : both;
    return this.been;
  }

  private boundsOf(balls: Ball[]): Bounds {
    const span = (axis: THREE.Vector3) => {
      const middle = this.extent.center.dot(axis);
      return [Math.min(...balls.map(({ at, radius }) => at.dot(axis) - radius)) - middle, Math.max(...balls.map(({ at, radius }) => at.dot(axis) + radius)) - middle] as const;
    };
    const [[left, right], [bottom, top]] = [span(this.basis.right), span(this.basis.up)];
    return { left, right, bottom, top };
  }

  private sees({ left, right, bottom, top }: Bounds): boolean {
    const { free } = this.window();
    return left >= free.left && right <= free.right && bottom >= free.bottom && top <= free.top;
  }

  private followInPlane(bounds: Bounds) {
    const { free } = this.window();
    const larger = Math.max((bounds.right - bounds.left) / (free.right - free.left), (bounds.top - bounds.bottom) / (free.top - free.bottom));
    if (larger > 1) this.spread = Math.min(mostSpread, this.spread * larger * 1.04);
    const now = this.window().free;
    // What is small and leaves is seen in the middle again; of what is large no more is moved than must be.
    const shift = (low: number, high: number, from: number, to: number) => {
      if (low >= from && high <= to) return 0;
      if (high - low < 0.6 * (to - from)) return (low + high - from - to) / 2;
      return low < from ? low - from : high - to;
    };
    this.drift.x += shift(bounds.left, bounds.right, now.left, now.right);
    this.drift.y += shift(bounds.bottom, bounds.top, now.bottom, now.top);
  }

  private seesInSpace(balls: Ball[]): boolean {
    this.inSpace();
    const { low, high, taken } = this.covered();
    const [right, up] = [new THREE.Vector3(), new THREE.Vector3()];
    this.spatial.matrixWorld.extractBasis(right, up, new THREE.Vector3());
    const corners = [[1, 0], [-1, 0], [0, 1], [0, -1]] as const;
    return balls.every(({ at, radius }) =>
      corners.every(([x, y]) => {
        const seen = at.clone().addScaledVector(right, x * radius).addScaledVector(up, y * radius).project(this.spatial);
        return seen.z < 1 && seen.x > 2 * taken - 0.97 && seen.x < 0.97 && seen.y > 2 * low - 1 && seen.y < 1 - 2 * high;
      }),
    );
  }

  // Some of the way in each sixtieth of a second, so that the eye is not torn along, nor left behind where frames are few.
  private followInSpace(balls: Ball[], frames: number) {
    const box = new THREE.Box3();
    for (const { at, radius } of balls) box.expandByPoint(at.clone().addScalar(radius)).expandByPoint(at.clone().addScalar(-radius));
    const middle = box.getCenter(new THREE.Vector3());
    const step = middle.sub(this.orbit.target).multiplyScalar(1 - 0.8 ** frames);
    this.orbit.target.add(step);
    this.spatial.position.add(step);
    const away = this.spatial.position.clone().sub(this.orbit.target);
    const wanted = this.distanceFor(box.getSize(new THREE.Vector3()).length() / 2);
    if (away.length() < wanted && away.length() < 3 * mostSpread * this.extent.reach) this.spatial.position.copy(this.orbit.target).addScaledVector(away, Math.min(1.08 ** frames, wanted / away.length()));
    this.orbit.update();
  }
}
