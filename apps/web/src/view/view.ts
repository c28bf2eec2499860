// The picture of the motion. It knows nothing of physics: it is given places and draws them.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { BodyInfo, ChainInfo, Hold, JointInfo, Point } from '../engine/protocol';
import { extentOf, type BodyPose } from '../rows';
import { Bodies } from './bodies';
import { Figure } from './figure';
import { linkColor } from './palette';
import { Trails } from './trails';

export type Mode = '2d' | '3d';

export interface Picture {
  places: Float32Array;
  strains: Float32Array | null;
  ghosts: Float32Array[];
  pivots: [number, number, number][];
  bodies: BodyPose[];
  ghostBodies: BodyPose[][]; // of each ghost
  t: number;
}

// Something to hold: links of all chains count from 0, bodies behind them.
export interface Hit {
  index: number;
  hold: Hold;
  place: Point;
}

export const mostTraced = 10;

export class View {
  readonly trails = new Trails();
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly flat = new THREE.OrthographicCamera();
  private readonly spatial = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  private readonly orbit: OrbitControls;
  private readonly figure = new Figure();
  private readonly ghostFigures: Figure[] = [];
  private readonly pivots = new THREE.Group();
  private readonly solids = new Bodies();
  private readonly ghostSolids: Bodies[] = [];
  private bodies: BodyInfo[] = [];
  private joints: JointInfo[] = [];
  private readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly light = new THREE.DirectionalLight(0xffffff, 1.6);
  private readonly ambient = new THREE.HemisphereLight(0xffffff, 0xc3ccd8, 2.4);
  private readonly glow: THREE.Sprite;
  private grid: THREE.Object3D | undefined;
  private chains: ChainInfo[] = [];
  private reach = 1;
  private center = new THREE.Vector3();
  private mode: Mode = '2d';
  private dark = true;
  private zoom = 1;
  private pan = new THREE.Vector2();
  private aside = 0;
  private places: Float32Array = new Float32Array();
  private last: Picture | undefined;
  private traced: number[] = [];

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    // Asking for errors waits until each shader is compiled.
    this.renderer.debug.checkShaderErrors = false;
    this.spatial.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.spatial, canvas);
    this.orbit.enableDamping = false;
    this.orbit.enabled = false;
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.28 }));
    this.ground.receiveShadow = true;
    this.glow = new THREE.Sprite(new THREE.SpriteMaterial({ map: glowTexture(), transparent: true, depthTest: false, depthWrite: false }));
    this.glow.visible = false;
    this.light.shadow.mapSize.set(1024, 1024);
    this.scene.add(this.ambient, this.light, this.light.target, this.ground, this.trails.mesh, this.figure.group, this.pivots, this.solids.group, this.solids.marks, this.glow);
  }

  // New chains: everything is built afresh, and the camera sees all of it.
  setChains(chains: ChainInfo[], ghosts: number, refit: boolean, bodies: BodyInfo[] = [], joints: JointInfo[] = []) {
    this.chains = chains;
    this.bodies = bodies;
    this.joints = joints;
    // Springs hang and swing beyond their lengths at rest.
    const reach = Math.max(...chains.map((chain) => longestWay(chain) * (chain.elastic ? 1.3 : 1)), 1e-9);
    const spread = chains.reduce((most, chain) => Math.max(most, ...chain.pivot.map((c, i) => Math.abs(c - chains[0]!.pivot[i]!))), 0);
    this.reach = reach + spread;
    this.center.set(0, 0, 0);
    if (bodies.length) {
      const extent = extentOf(bodies);
      this.reach = Math.max(this.reach, 1.3 * extent.reach);
      if (!chains.length) this.center.fromArray(extent.center);
    }
    this.solids.build(bodies, joints, this.reach, { dark: this.dark, ghost: false });
    if (this.glow.userData.on) this.setGlow(this.glow.userData.index as number);
    for (const chain of chains) this.center.add(new THREE.Vector3(...chain.pivot).divideScalar(chains.length));
    this.figure.build(chains, this.reach, { dark: this.dark, ghost: false });
    while (this.ghostFigures.length > ghosts) {
      const gone = this.ghostFigures.pop()!;
      this.scene.remove(gone.group, this.ghostSolids.pop()!.group);
      gone.dispose();
    }
    while (this.ghostFigures.length < ghosts) {
      const figure = new Figure();
      const solids = new Bodies();
      this.ghostFigures.push(figure);
      this.ghostSolids.push(solids);
      this.scene.add(figure.group, solids.group);
    }
    for (const ghost of this.ghostSolids) ghost.build(bodies, joints, this.reach, { dark: this.dark, ghost: true });
    for (const ghost of this.ghostFigures) ghost.build(chains, this.reach, { dark: this.dark, ghost: true });
    this.chooseTraced();
    this.buildSurroundings();
    if (refit) this.fit();
  }

  setDark(dark: boolean) {
    this.dark = dark;
    if (this.chains.length || this.bodies.length) this.setChains(this.chains, this.ghostFigures.length, false, this.bodies, this.joints);
  }

  setMode(mode: Mode) {
    this.mode = mode;
    this.orbit.enabled = mode === '3d';
    this.buildSurroundings();
  }

  // What leaves trails.
  get followed(): number[] {
    return this.traced;
  }

  get size(): number {
    return this.reach;
  }

  get linkCount(): number {
    return this.chains.reduce((sum, chain) => sum + chain.length.length, 0);
  }

  colorOf(link: number): string {
    return this.chains.length ? this.figure.colorOf(link) : linkColor(link % 10, 10, this.dark);
  }

  fit() {
    this.zoom = 1;
    this.pan.set(0, 0);
    this.spatial.position.copy(this.center).add(new THREE.Vector3(0.8, -2.35, 0.55).multiplyScalar(this.reach));
    this.spatial.near = this.reach / 200;
    this.spatial.far = this.reach * 60;
    this.orbit.target.copy(this.center).add(new THREE.Vector3(0, 0, -0.3 * this.reach));
    this.orbit.update();
  }

  camera(): number[] {
    return [...this.spatial.position.toArray(), ...this.orbit.target.toArray(), this.zoom, this.pan.x, this.pan.y];
  }

  setCamera(values: number[]) {
    if (values.length !== 9 || !values.every(Number.isFinite)) return;
    this.spatial.position.fromArray(values);
    this.orbit.target.fromArray(values, 3);
    this.zoom = values[6]!;
    this.pan.set(values[7]!, values[8]!);
    this.orbit.update();
  }

  // Pixels at the left that something else covers: the picture moves out of their way.
  setAside(pixels: number) {
    this.aside = pixels;
  }

  zoomBy(factor: number) {
    if (this.mode === '2d') this.zoom = Math.min(40, Math.max(0.2, this.zoom * factor));
    else this.spatial.position.sub(this.orbit.target).divideScalar(factor).add(this.orbit.target);
  }

  panBy(dx: number, dy: number) {
    const unit = (2 * this.flat.top) / this.canvas.clientHeight;
    this.pan.x -= dx * unit;
    this.pan.y += dy * unit;
  }

  turnBy(angle: number) {
    this.spatial.position.sub(this.orbit.target).applyAxisAngle(this.spatial.up, angle).add(this.orbit.target);
  }

  setOrbiting(on: boolean) {
    this.orbit.enabled = on && this.mode === '3d';
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    const pixels = this.renderer.getPixelRatio();
    this.trails.setSize(width * pixels, height * pixels, pixels);
    this.spatial.aspect = width / height;
    // A narrow screen needs to stand farther away.
    this.spatial.fov = width < height ? 40 * Math.min(1.6, height / width) : 40;
    this.spatial.updateProjectionMatrix();
    if (this.last) this.draw(this.last);
  }

  // The bob nearest to a point of the screen, if one is near; else the body there.
  pick(x: number, y: number, within: number): Hit | null {
    let best: Hit | null = null;
    let nearest = within;
    let index = 0;
    const point = new THREE.Vector3();
    const scale = this.pixelsPerUnit();
    this.chains.forEach((chain, c) => {
      for (let link = 0; link < chain.length.length; link++, index++) {
        const at = this.onScreen(point.fromArray(this.places, 3 * index));
        const distance = Math.max(0, Math.hypot(at.x - x, at.y - y) - scale * this.figure.radiusOf(index));
        if (distance < nearest) {
          nearest = distance;
          best = { index, hold: { chain: c, link, may_leave_plane: this.mode === '3d' }, place: this.placeOf(index) };
        }
      }
    });
    return best ?? this.pickBody(x, y);
  }

  private pickBody(x: number, y: number): Hit | null {
    const found = this.solids.pick(this.rayThrough(x, y));
    return found && { index: this.linkCount + found.body, hold: { body: found.body, point: found.point }, place: found.place };
  }

  placeOf(index: number): Point {
    const body = index - this.linkCount;
    if (body >= 0) return this.solids.placeOf(body);
    return [this.places[3 * index]!, this.places[3 * index + 1]!, this.places[3 * index + 2]!];
  }

  private rayThrough(x: number, y: number): THREE.Raycaster {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((x / this.canvas.clientWidth) * 2 - 1, 1 - (y / this.canvas.clientHeight) * 2), this.activeCamera());
    return ray;
  }

  // The point of the world under a point of the screen, as deep as `reference`.
  under(x: number, y: number, reference: Point): Point {
    const ray = this.rayThrough(x, y);
    const normal = this.activeCamera().getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...reference));
    const hit = ray.ray.intersectPlane(plane, new THREE.Vector3());
    return hit ? [hit.x, hit.y, hit.z] : reference;
  }

  screenOf(index: number): { x: number; y: number } {
    return this.onScreen(new THREE.Vector3(...this.placeOf(index)));
  }

  setGlow(index: number | null) {
    const body = index === null ? -1 : index - this.linkCount;
    this.glow.visible = index !== null && body < 0;
    this.glow.userData = { on: index !== null, index: index ?? 0 };
    this.solids.setGlow(body < 0 ? null : body);
  }

  // The thing that shines, if any.
  get glowing(): number | null {
    return this.glow.userData.on ? (this.glow.userData.index as number) : null;
  }

  draw(picture: Picture) {
    this.last = picture;
    this.places = picture.places;
    this.solids.update(picture.bodies);
    this.ghostSolids.forEach((solids, i) => {
      const poses = picture.ghostBodies[i] ?? [];
      solids.group.visible = poses.every(({ position }) => position.every(Number.isFinite));
      if (solids.group.visible) solids.update(poses);
    });
    picture.pivots.forEach((pivot, c) => this.pivots.children[c]?.position.fromArray(pivot));
    this.figure.update(picture.places, picture.strains, picture.pivots, this.dark);
    this.ghostFigures.forEach((figure, i) => {
      const places = picture.ghosts[i];
      figure.group.visible = !!places && Number.isFinite(places[0]);
      if (places && figure.group.visible) figure.update(places, null, picture.pivots, this.dark);
    });
    this.trails.mesh.visible = this.trails.mesh.userData.on !== false;
    if (this.trails.mesh.visible) this.trails.update(picture.t);
    if (this.glow.visible) {
      const index = this.glow.userData.index as number;
      this.glow.position.fromArray(picture.places, 3 * index);
      this.glow.scale.setScalar(this.figure.radiusOf(index) * 7);
      (this.glow.material as THREE.SpriteMaterial).color.set(this.figure.colorOf(index));
    }
    this.render();
  }

  render() {
    const camera = this.activeCamera();
    this.renderer.render(this.scene, camera);
  }

  private activeCamera(): THREE.Camera {
    if (this.mode === '3d') return this.spatial;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const aspect = width / Math.max(1, height);
    // The bar at the bottom must not cover the chain: there is more room below than above.
    const bar = 78 / Math.max(200, height);
    const covered = width > 700 ? this.aside : 0;
    const half = (1.1 * this.reach * Math.max(1 / (1 - bar), height / Math.max(1, width - covered))) / this.zoom;
    Object.assign(this.flat, { left: -half * aspect, right: half * aspect, top: half, bottom: -half, near: 0.01, far: 100 * this.reach });
    // Looks at the plane of the first chain from its side: to the right is the way theta grows.
    const azimuth = this.chains[0]?.planar ? this.chains[0].azimuth : 0;
    const [c, s] = [Math.cos(azimuth), Math.sin(azimuth)];
    const across = this.pan.x - (covered / Math.max(1, height)) * half;
    const target = this.center.clone().add(new THREE.Vector3(c * across, s * across, this.pan.y - bar * half));
    this.flat.up.set(0, 0, 1);
    this.flat.position.copy(target).add(new THREE.Vector3(s, -c, 0).multiplyScalar(20 * this.reach));
    this.flat.lookAt(target);
    this.flat.updateProjectionMatrix();
    this.flat.updateMatrixWorld();
    return this.flat;
  }

  private pixelsPerUnit(): number {
    if (this.mode === '2d') return this.canvas.clientHeight / (2 * this.flat.top || 1);
    const distance = this.spatial.position.distanceTo(this.orbit.target);
    return this.canvas.clientHeight / (2 * distance * Math.tan((this.spatial.fov * Math.PI) / 360));
  }

  private onScreen(point: THREE.Vector3): { x: number; y: number } {
    const seen = point.project(this.activeCamera());
    return { x: ((seen.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - seen.y) / 2) * this.canvas.clientHeight };
  }

  // All bobs of short chains, the last one of long ones; bodies.
  private chooseTraced() {
    this.traced = [];
    let first = 0;
    for (const chain of this.chains) {
      const n = chain.length.length;
      const own = n <= mostTraced ? [...Array(n).keys()] : [n - 1];
      this.traced.push(...own.map((k) => first + k));
      first += n;
    }
    this.bodies.forEach(({ fixed }, body) => !fixed && body < mostTraced && this.traced.push(first + body));
    this.traced = this.traced.slice(0, 2 * mostTraced);
    this.trails.setBobs(this.traced.map((thing) => (thing < first ? this.figure.colorOf(thing) : `#${this.solids.colorOf(thing - first).getHexString()}`)));
  }

  private buildSurroundings() {
    if (!this.chains.length && !this.bodies.length) return;
    const three = this.mode === '3d';
    if (this.grid) this.scene.remove(this.grid);
    const floor = this.center.z - 1.25 * this.reach;
    this.grid = three ? floorGrid(this.center, floor, this.reach, this.dark) : undefined;
    if (this.grid) this.scene.add(this.grid);
    this.ground.visible = this.light.castShadow = three;
    this.ground.position.set(this.center.x, this.center.y, floor);
    this.ground.scale.setScalar(12 * this.reach);
    this.ground.material.opacity = this.dark ? 0.5 : 0.22;
    this.light.position.copy(this.center).add(new THREE.Vector3(0.8, -1.4, 2.2).multiplyScalar(this.reach));
    this.light.target.position.copy(this.center).setZ(floor / 2);
    const box = this.light.shadow.camera;
    Object.assign(box, { left: -1.6 * this.reach, right: 1.6 * this.reach, top: 1.6 * this.reach, bottom: -1.6 * this.reach, near: 0.1 * this.reach, far: 8 * this.reach });
    box.updateProjectionMatrix();
    this.pivots.clear();
    for (const chain of this.chains) {
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(Math.max(0.55 * this.figure.radiusOf(0), this.reach / 140), 20, 14),
        new THREE.MeshStandardMaterial({ color: this.dark ? 0xe2e8f0 : 0x334155, roughness: 0.4 }),
      );
      mesh.position.fromArray(chain.pivot);
      this.pivots.add(mesh);
    }
  }
}

function longestWay(chain: ChainInfo): number {
  const reach: number[] = [];
  chain.parent.forEach((parent, k) => reach.push((parent < 0 ? 0 : reach[parent]!) + chain.length[k]!));
  return Math.max(...reach);
}

function floorGrid(center: THREE.Vector3, floor: number, reach: number, dark: boolean): THREE.Object3D {
  const grid = new THREE.GridHelper(8 * reach, 32, dark ? 0x5a6d90 : 0x9fb0c6, dark ? 0x33435f : 0xd3dce8);
  grid.rotation.x = Math.PI / 2;
  grid.position.set(center.x, center.y, floor);
  (grid.material as THREE.Material).transparent = true;
  (grid.material as THREE.Material).opacity = 0.55;
  return grid;
}

function glowTexture(): THREE.Texture {
  const size = 128;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const pen = canvas.getContext('2d')!;
  const gradient = pen.createRadialGradient(size / 2, size / 2, 0, size / 2, size / 2, size / 2);
  gradient.addColorStop(0, 'rgba(255,255,255,0.9)');
  gradient.addColorStop(0.3, 'rgba(255,255,255,0.45)');
  gradient.addColorStop(1, 'rgba(255,255,255,0)');
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, size, size);
  return new THREE.CanvasTexture(canvas);
}
