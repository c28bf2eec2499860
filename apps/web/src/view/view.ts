// The picture of the motion. It knows nothing of physics: it is given places and draws them.
import * as THREE from 'three';
import type { BodyInfo, ChainInfo, Drawing, DrawnEnd, Hold, JointInfo, Point } from '../engine/protocol';
import type { BodyPose } from '../rows';
import { front, normalOf } from '../scene/space';
import { typeScale } from '../type';
import { Arrows, type Arrow } from './arrows';
import { Bodies, disposeAll } from './bodies';
import { Cameras, type Mode } from './cameras';
import { Figure } from './figure';
import { basisOf, extentOfScene, planeOf, type Ball, type Basis, type Extent } from './frame';
import { groundSymbol, Ties } from './joints';
import { Labels } from './labels';
import { axesAndScale, chargeLabels, cornerOf, inks, nameLabels, valueLabels, type Named } from './notes';
import { linkColor } from './palette';
import { sourceParts } from './sources';
import { Trails } from './trails';

export type { Mode } from './cameras';

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

// A vector with what it starts from: a thing, a joint, or a place.
export interface Vector {
  kind: string;
  on: { thing: number } | { joint: number } | { place: Point };
  vector: Point;
  text?: string;
}

export const mostTraced = 10;
const mostNames = 30;
const [columns, rows] = [6, 5]; // of places for arrows of fields

// Whether such a place is not at the rim, where it may be out of sight.
export const isInner = (place: number) => place >= rows && place < (columns - 1) * rows && place % rows > 0 && place % rows < rows - 1;

export class View {
  readonly trails = new Trails();
  readonly labels = new Labels();
  // What is written and drawn beside the things themselves.
  readonly notes = { names: true, axes: true };
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly cameras: Cameras;
  private readonly figure = new Figure();
  private readonly ghostFigures: Figure[] = [];
  private ghostTints: (string | null)[] = [];
  private readonly pivots = new THREE.Group();
  private readonly solids = new Bodies();
  private readonly ghostSolids: Bodies[] = [];
  private readonly ties = new Ties();
  private readonly standing = new THREE.Group(); // ground symbols, magnets, charges
  private readonly arrows = new Arrows();
  private vectors: Vector[] = [];
  private readonly visited = new THREE.Box3(); // by a point in the space of coordinates, which knows no bounds before
  private bodies: BodyInfo[] = [];
  private joints: JointInfo[] = [];
  private drawing: Drawing | undefined;
  private readonly ground: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly light = new THREE.DirectionalLight(0xffffff, 1.6);
  private readonly ambient = new THREE.HemisphereLight(0xffffff, 0xc3ccd8, 2.4);
  private readonly glow: THREE.Sprite;
  private grid: THREE.Object3D | undefined;
  private chains: ChainInfo[] = [];
  private basis!: Basis;
  private extent: Extent = { center: new THREE.Vector3(), reach: 1, across: 1, upward: 1, hangs: true };
  private dark = true;
  private places: Float32Array = new Float32Array();
  private last: Picture | undefined;
  private traced: number[] = [];
  private changes = 0; // of what a picture does not say
  isStill = false; // somebody draws
  private unseen = false; // what there is now was not drawn yet
  private rendered = '';

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    // Asking for errors waits until each shader is compiled.
    this.renderer.debug.checkShaderErrors = false;
    this.cameras = new Cameras(canvas);
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.28 }));
    this.ground.receiveShadow = true;
    this.glow = new THREE.Sprite(new THREE.SpriteMaterial({ map: glowTexture(), transparent: true, depthTest: false, depthWrite: false }));
    this.glow.visible = false;
    this.light.shadow.mapSize.set(1024, 1024);
    this.scene.add(this.ambient, this.light, this.light.target, this.ground, this.trails.curves.mesh, this.trails.mesh, this.figure.group, this.pivots, this.solids.group, this.ties.group, this.standing, this.arrows.group, this.glow);
  }

  // New chains: everything is built afresh, and the camera sees all of it.
  setChains(chains: ChainInfo[], ghosts: number, refit: boolean, bodies: BodyInfo[] = [], joints: JointInfo[] = [], drawing?: Drawing) {
    this.chains = chains;
    this.bodies = bodies;
    this.joints = joints;
    this.drawing = drawing;
    if (!this.isStill || refit) this.lookAtAll();
    this.changes++;
    if (refit) {
      this.trails.curves.removeAll();
      this.visited.makeEmpty();
    }
    this.trails.curves.spacing = this.reach / 400;
    const look = { dark: this.dark, ghost: false };
    this.solids.build(bodies, joints, drawing, this.reach, look);
    if (this.glow.userData.on) this.setGlow(this.glow.userData.index as number);
    this.figure.build(chains, this.reach, look, drawing?.chains);
    this.buildGhosts(ghosts);
    this.chooseTraced();
    this.buildSurroundings();
    this.vectors = [];
    this.arrows.clear();
    if (refit) this.cameras.fit([]);
    this.unseen ||= refit;
  }

  private lookAtAll() {
    this.basis = basisOf(this.chains, this.drawing, this.bodies.length > 0);
    this.extent = extentOfScene(this.chains, this.bodies, this.joints, this.drawing, this.basis);
    this.cameras.look(this.basis, this.extent);
  }

  // While something is drawn the picture stands still, whatever comes and goes.
  standStill(on: boolean) {
    if (this.isStill === on) return;
    this.isStill = on;
    if (on || !this.basis) return;
    this.lookAtAll();
    this.unseen = true;
    this.changes++;
  }

  private buildGhosts(ghosts: number) {
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
    const look = (ghost: number) => ({ dark: this.dark, ghost: true, tint: this.ghostTints[ghost] ?? null });
    this.ghostSolids.forEach((ghost, i) => ghost.build(this.bodies, this.joints, this.drawing, this.reach, look(i)));
    this.ghostFigures.forEach((ghost, i) => ghost.build(this.chains, this.reach, look(i), this.drawing?.chains));
  }

  // Colours of ghosts that are told apart; null: as pale as ever.
  tintGhosts(tints: (string | null)[]) {
    if (tints.join() === this.ghostTints.join()) return;
    this.ghostTints = tints;
    this.buildGhosts(this.ghostFigures.length);
    this.changes++;
  }

  private get reach(): number {
    return this.extent.reach;
  }

  setDark(dark: boolean) {
    this.dark = dark;
    if (!this.chains.length && !this.bodies.length) return;
    const vectors = this.vectors;
    this.setChains(this.chains, this.ghostFigures.length, false, this.bodies, this.joints, this.drawing);
    this.vectors = vectors;
  }

  get mode(): Mode {
    return this.cameras.mode;
  }

  setMode(mode: Mode) {
    this.cameras.mode = mode;
    this.cameras.orbit.enabled = mode === '3d';
    this.changes++;
    this.buildSurroundings();
  }

  // Whether all of it moves in one plane, which the flat view shows face on.
  get planar(): boolean {
    return planeOf(this.chains, this.drawing, this.bodies.length > 0) !== null;
  }

  // Shaders of what is drawn later are made while nothing else is to do: the first frame of the motion does not wait for them.
  prepare() {
    this.renderer.compile(this.scene, this.cameras.active());
  }

  // What leaves trails.
  get followed(): number[] {
    return this.traced;
  }

  get size(): number {
    return this.reach;
  }

  get middle(): Point {
    return this.extent.center.toArray();
  }

  get linkCount(): number {
    return this.chains.reduce((sum, chain) => sum + chain.length.length, 0);
  }

  colorOf(link: number): string {
    return this.chains.length ? this.figure.colorOf(link) : linkColor(link % 10, 10, this.dark);
  }

  fit() {
    this.cameras.fit(this.things());
  }

  camera(): number[] {
    return this.cameras.values();
  }

  setCamera(values: number[]) {
    this.unseen = false;
    this.cameras.setValues(values);
  }

  // Pixels at the top and at the bottom that something else covers: the picture moves out of their way.
  setCovered(above: number, below: number) {
    this.cameras.overhead = above;
    this.cameras.underneath = below;
    this.changes++;
  }

  setNotes(notes: View['notes']) {
    Object.assign(this.notes, notes);
    this.makeRoom();
  }

  // Axes and scale have a corner of their own.
  private makeRoom() {
    this.cameras.corner = this.notes.axes ? cornerOf(this.canvas.clientWidth, this.labels.scale) : { width: 0, height: 0 };
  }

  zoomBy(factor: number) {
    this.cameras.zoomBy(factor);
  }

  panBy(dx: number, dy: number) {
    this.cameras.panBy(dx, dy);
  }

  turnBy(angle: number) {
    this.cameras.turnBy(angle);
  }

  setOrbiting(on: boolean) {
    this.cameras.orbit.enabled = on && this.cameras.mode === '3d';
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false); // clears the canvas
    this.changes++;
    const pixels = this.renderer.getPixelRatio();
    this.trails.setSize(width * pixels, height * pixels, pixels);
    this.labels.scale = typeScale();
    this.makeRoom();
    this.cameras.resize();
    if (this.last) this.draw(this.last);
  }

  // The canvas goes.
  dispose() {
    disposeAll(this.scene);
    this.renderer.dispose();
  }

  // A curve of the whole way of a point of a body, from now on.
  mark(body: number, point: Point) {
    const marks = this.trails.curves.marks.length;
    this.trails.curves.add({ body, point, color: linkColor((marks + 4) % 10, 10, this.dark) });
  }

  setVectors(vectors: Vector[]) {
    this.changes++;
    this.vectors = vectors;
  }

  get joint() {
    return (index: number): Point => {
      const { b, in_a, in_b, a } = this.joints[index]!;
      return b >= 0 ? this.solids.worldPoint(b, in_b).toArray() : a >= 0 ? this.solids.worldPoint(a, in_a).toArray() : in_b;
    };
  }

  // Places all over what is seen, for arrows of fields.
  fieldPlaces(): Point[] {
    const { center, across, upward } = this.extent;
    const steps = (count: number) => Array.from({ length: count }, (_, i) => (2 * (i + 0.5)) / count - 1);
    return steps(columns).flatMap((x) => steps(rows).map((y) => center.clone().addScaledVector(this.basis.right, x * across).addScaledVector(this.basis.up, y * upward).toArray()));
  }

  // The bob nearest to a point of the screen, if one is near; else the body there.
  pick(x: number, y: number, within: number): Hit | null {
    let best: Hit | null = null;
    let nearest = within;
    let index = 0;
    const point = new THREE.Vector3();
    const scale = this.cameras.pixelsPerUnit();
    this.chains.forEach((chain, c) => {
      for (let link = 0; link < chain.length.length; link++, index++) {
        const at = this.onScreen(point.fromArray(this.places, 3 * index));
        const distance = Math.max(0, Math.hypot(at.x - x, at.y - y) - scale * this.figure.radiusOf(index));
        if (distance < nearest) {
          nearest = distance;
          best = { index, hold: { chain: c, link, may_leave_plane: this.cameras.mode === '3d' }, place: this.placeOf(index) };
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
    ray.setFromCamera(new THREE.Vector2((x / this.canvas.clientWidth) * 2 - 1, 1 - (y / this.canvas.clientHeight) * 2), this.cameras.active());
    return ray;
  }

  // The point of the world under a point of the screen, as deep as `reference`.
  under(x: number, y: number, reference: Point): Point {
    const ray = this.rayThrough(x, y);
    const normal = this.cameras.active().getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...reference));
    const hit = ray.ray.intersectPlane(plane, new THREE.Vector3());
    return hit ? [hit.x, hit.y, hit.z] : reference;
  }

  // The point of a plane under a point of the screen, where things are drawn; null: the plane is seen edge on.
  onPlane(x: number, y: number, plane = front): Point | null {
    const { ray } = this.rayThrough(x, y);
    const normal = new THREE.Vector3(...normalOf(plane));
    if (Math.abs(ray.direction.dot(normal)) < 0.02) return null;
    const hit = ray.intersectPlane(new THREE.Plane(normal, -plane.at), new THREE.Vector3())?.toArray();
    if (hit) hit[plane.across] = plane.at;
    return hit ?? null;
  }

  get pixelsPerMetre(): number {
    return this.cameras.pixelsPerUnit();
  }

  // Changes whenever what is seen does.
  get drawnAs(): string {
    return this.rendered;
  }

  // Where a point of the world is on the picture, in pixels.
  seenAt(point: Point): { x: number; y: number } {
    return this.onScreen(new THREE.Vector3(...point));
  }

  screenOf(index: number): { x: number; y: number } {
    return this.onScreen(new THREE.Vector3(...this.placeOf(index)));
  }

  setGlow(index: number | null) {
    this.changes++;
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
    if (this.axes) this.visit(picture);
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
    this.ties.update((end, target) => this.endPlace(end, target));
    this.trails.mesh.visible = this.trails.mesh.userData.on !== false;
    if (this.trails.mesh.visible) this.trails.update(picture.t);
    this.trails.curves.update(picture.t);
    this.arrows.update(this.vectors.map((vector) => this.arrowOf(vector)), this.reach, this.dark);
    if (this.glow.visible) {
      const index = this.glow.userData.index as number;
      this.glow.position.fromArray(picture.places, 3 * index);
      this.glow.scale.setScalar(this.figure.radiusOf(index) * 7);
      (this.glow.material as THREE.SpriteMaterial).color.set(this.figure.colorOf(index));
    }
    if (this.unseen) this.fit();
    this.unseen = false;
    if (!this.isStill || picture.t > 0) this.cameras.follow(this.things());
    this.sizeSymbols();
    // What looks as it did is not drawn again: a page at rest costs nothing.
    const signature = this.signature(picture);
    if (signature === this.rendered) return;
    this.render();
    this.rendered = signature;
  }

  // However near the eye is, the ground's symbols are no larger than letters are.
  private sizeSymbols() {
    const size = Math.min(this.reach / 7, (44 * this.labels.scale) / this.cameras.pixelsPerUnit());
    for (const part of this.standing.children) if (part instanceof THREE.Sprite) part.scale.setScalar(size);
  }

  // Changes whenever the picture does.
  private signature({ t, places, strains, ghosts, bodies, ghostBodies, pivots }: Picture): string {
    const sum = (values: ArrayLike<number>) => {
      let total = 0;
      for (let i = 0; i < values.length; i++) total += values[i]! * (1 + (i % 13));
      return total;
    };
    const camera = this.cameras.active();
    const poses = [bodies, ...ghostBodies].map((all) => sum(all.flatMap(({ position, orientation }) => [...position, ...orientation])));
    return [t, sum(places), strains ? sum(strains) : 'none', ...ghosts.map(sum), ...poses, sum(pivots.flat()), ...camera.matrixWorld.elements, ...camera.projectionMatrix.elements, this.changes, this.trails.length, this.trails.mesh.userData.on, this.trails.curves.length, JSON.stringify(this.notes), this.canvas.width, this.canvas.height].join();
  }

  // Names of the coordinates, where what is seen is a point in their space.
  private get axes(): string[] | undefined {
    return this.bodies[0]?.axes;
  }

  // Such a point is seen with all places where it was, and as large as these ask for.
  private visit({ bodies }: Picture) {
    const at = new THREE.Vector3(...bodies[0]!.position);
    if ([at.x, at.y, at.z].every(Number.isFinite)) this.visited.expandByPoint(at);
    const size = Math.max(1, this.visited.getSize(new THREE.Vector3()).length() / 2 / this.reach);
    for (const { group } of [this.solids, ...this.ghostSolids]) group.children[0]?.scale.setScalar(size);
  }

  // Everything that moves, as balls.
  private things(): Ball[] {
    if (this.axes && !this.visited.isEmpty()) return cornersOf(this.visited).map((at) => ({ at, radius: 0.03 * this.visited.min.distanceTo(this.visited.max) }));
    const ends = Array.from({ length: this.places.length / 3 }, (_, k) => ({ at: new THREE.Vector3().fromArray(this.places, 3 * k), radius: this.figure.radiusOf(k) }));
    const pivots = (this.last?.pivots ?? []).map((pivot) => ({ at: new THREE.Vector3(...pivot), radius: 0 }));
    return [...ends, ...pivots, ...this.bodies.map((_, i) => ({ at: new THREE.Vector3(...this.solids.placeOf(i)), radius: Math.min(this.solids.radiusOf(i), this.reach) }))];
  }

  private endPlace(end: DrawnEnd, target: THREE.Vector3): THREE.Vector3 {
    if ('chain' in end) {
      const first = this.chains.slice(0, end.chain).reduce((sum, chain) => sum + chain.length.length, 0);
      return target.fromArray(this.places, 3 * (first + end.link - 1));
    }
    return this.solids.worldPoint(this.bodies.findIndex(({ name }) => name === end.body), end.anchor, target);
  }

  private arrowOf({ kind, on, vector, text }: Vector): Arrow {
    const at = 'thing' in on ? this.placeOf(on.thing) : 'joint' in on ? this.joint(on.joint) : on.place;
    return text === undefined ? { kind, at, vector } : { kind, at, vector, text };
  }

  render() {
    const camera = this.cameras.active();
    this.renderer.render(this.scene, camera);
    this.write(camera);
  }

  // Names, values and a scale, over all that was drawn.
  private write(camera: THREE.Camera) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const onScreen = (place: THREE.Vector3) => {
      const seen = place.project(camera);
      return Math.abs(seen.x) < 1 && Math.abs(seen.y) < 1 && seen.z < 1 ? { x: ((seen.x + 1) / 2) * width, y: ((1 - seen.y) / 2) * height } : null;
    };
    const scale = this.cameras.pixelsPerUnit();
    const labels = this.notes.names ? nameLabels(this.names(scale), onScreen, this.labels.scale, height - this.cameras.underneath) : [];
    if (this.drawing) labels.push(...chargeLabels(this.drawing, (thing) => new THREE.Vector3(...this.placeOf(thing)), onScreen, this.dark));
    labels.push(...valueLabels(this.arrows.ends, onScreen, this.dark));
    const scaled = this.notes.axes && Number.isFinite(scale) && scale > 0 ? axesAndScale(camera, scale, { x: 0, y: height - this.cameras.underneath, width: this.cameras.corner.width, stacked: this.cameras.beside }, this.labels.scale, this.dark, this.cameras.mode === '2d', this.axes) : { labels: [], strokes: [] };
    this.labels.draw(this.renderer, [...labels, ...scaled.labels], scaled.strokes, width, height, inks(this.dark).halo);
  }

  private names(scale: number): Named[] {
    const { faint } = inks(this.dark);
    const links = this.linkCount;
    const named = (text: string, thing: number, radius: number): Named => ({ text, place: new THREE.Vector3(...this.placeOf(thing)), color: faint, lift: Math.min(26, 6 + 0.7 * radius * scale) });
    const bobs = links > 1 && links <= 10 && this.drawing ? this.drawing.chains.flatMap((chain) => chain.links.map(({ label }) => label.replace(/_/g, ' '))) : [];
    const bodies = this.bodies.length <= mostNames ? this.bodies : [];
    return [...bobs.map((label, k) => named(label, k, this.figure.radiusOf(k))), ...bodies.map(({ name }, i) => named(name, links + i, 0.3 * this.solids.radiusOf(i))).filter(({ text }) => text)];
  }

  private onScreen(point: THREE.Vector3): { x: number; y: number } {
    const seen = point.project(this.cameras.active());
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
    const three = this.cameras.mode === '3d' && !this.axes; // coordinates have no floor
    const { center } = this.extent;
    if (this.grid) this.scene.remove(this.grid);
    const floor = center.z - 1.25 * this.reach;
    this.grid = three ? floorGrid(center, floor, this.reach, this.dark) : undefined;
    if (this.grid) this.scene.add(this.grid);
    this.ground.visible = this.light.castShadow = three;
    this.ground.position.set(center.x, center.y, floor);
    this.ground.scale.setScalar(12 * this.reach);
    this.ground.material.opacity = this.dark ? 0.5 : 0.22;
    this.light.position.copy(center).add(new THREE.Vector3(0.8, -1.4, 2.2).multiplyScalar(this.reach));
    this.light.target.position.copy(center).setZ(floor / 2);
    const box = this.light.shadow.camera;
    Object.assign(box, { left: -1.6 * this.reach, right: 1.6 * this.reach, top: 1.6 * this.reach, bottom: -1.6 * this.reach, near: 0.1 * this.reach, far: 8 * this.reach });
    box.updateProjectionMatrix();
    disposeAll(this.pivots);
    disposeAll(this.standing);
    disposeAll(this.ties.group);
    this.ties.build(this.drawing, this.reach, this.dark);
    this.buildStanding();
    for (const chain of this.chains) {
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(Math.max(0.55 * this.figure.radiusOf(0), Math.min(this.reach / 140, this.figure.radiusOf(0))), 20, 14),
        new THREE.MeshStandardMaterial({ color: this.dark ? 0xe2e8f0 : 0x334155, roughness: 0.4 }),
      );
      mesh.position.fromArray(chain.pivot);
      this.pivots.add(mesh);
    }
  }

  // What stays where it is: the ground under joints and pivots, magnets and charges.
  private buildStanding() {
    for (const { a, b, in_a, in_b, ties } of this.joints) {
      if (!ties && Math.min(a, b) < 0) this.standing.add(groundSymbol(a < 0 ? in_a : in_b, this.reach, this.dark, false));
    }
    for (const { bodies, anchors } of this.drawing?.springs ?? []) {
      bodies.forEach((name, i) => name === 'ground' && this.standing.add(groundSymbol(anchors[i]!, this.reach, this.dark, false)));
    }
    for (const { end } of this.drawing?.chains ?? []) if (end?.body === 'ground') this.standing.add(groundSymbol(end.anchor, this.reach, this.dark, true));
    for (const { pivot, moving, rests } of this.chains) if (!moving || rests) this.standing.add(groundSymbol(pivot, this.reach, this.dark, true));
    if (this.axes) this.standing.add(originLines(this.axes, this.reach, this.dark));
    for (const part of sourceParts(this.drawing?.sources ?? [], this.reach)) this.standing.add(part);
  }
}

function cornersOf({ min, max }: THREE.Box3): THREE.Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new THREE.Vector3(x, y, z))));
}

function floorGrid(center: THREE.Vector3, floor: number, reach: number, dark: boolean): THREE.Object3D {
  const grid = new THREE.GridHelper(8 * reach, 32, dark ? 0x5a6d90 : 0x9fb0c6, dark ? 0x33435f : 0xd3dce8);
  grid.rotation.x = Math.PI / 2;
  grid.position.set(center.x, center.y, floor);
  (grid.material as THREE.Material).transparent = true;
  (grid.material as THREE.Material).opacity = 0.55;
  return grid;
}

// The axes of the space of coordinates, through its origin.
function originLines(axes: string[], reach: number, dark: boolean): THREE.Object3D {
  const ends = axes.flatMap((name, i) => (name ? [-1, 1].map((side) => new THREE.Vector3().setComponent(i, 100 * side * reach)) : []));
  return new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(ends), new THREE.LineBasicMaterial({ color: dark ? 0x5a6d90 : 0x9fb0c6 }));
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
