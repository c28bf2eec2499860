// What holds bodies together, as engineers draw it: pins, balls, rails, rods, springs, dampers, gears, and the ground.
import * as THREE from 'three';
import type { Drawing, DrawnEnd, DrawnJoint, Point } from '../engine/protocol';
import { coilGeometry, damperParts, gearGeometry, moduleOf, rackGeometry, ringGeometry } from './solids';

const up = new THREE.Vector3(0, 1, 0);
const zAxis = new THREE.Vector3(0, 0, 1);

const metal = (dark: boolean, ghost = false) =>
  new THREE.MeshStandardMaterial({ color: dark ? 0xcbd5e1 : 0x475569, roughness: 0.4, metalness: 0.2, transparent: ghost, opacity: ghost ? 0.3 : 1 });

function along(axis: Point | undefined): THREE.Quaternion {
  const direction = new THREE.Vector3(...(axis ?? [0, 0, 1]));
  return new THREE.Quaternion().setFromUnitVectors(zAxis, direction.normalize());
}

function cylinder(radius: number, length: number): THREE.BufferGeometry {
  return new THREE.CylinderGeometry(radius, radius, length, 20).rotateX(Math.PI / 2);
}

// Geometries with the joint's axis along z.
function partsOf(kind: string | undefined, r: number): THREE.BufferGeometry[] {
  switch (kind) {
    case 'revolute':
      return [cylinder(r, 2.6 * r)];
    case 'prismatic':
      return [new THREE.BoxGeometry(1.5 * r, 1.5 * r, 4 * r)];
    case 'cylindrical':
    case 'screw':
      return [cylinder(1.2 * r, 4 * r)];
    case 'universal':
    case 'constant-velocity':
      return [cylinder(0.45 * r, 3 * r).rotateX(Math.PI / 2), cylinder(0.45 * r, 3 * r).rotateY(Math.PI / 2)];
    case 'fixed':
      return [new THREE.BoxGeometry(1.6 * r, 1.6 * r, 1.6 * r)];
    default:
      return [new THREE.SphereGeometry(r, 18, 14)];
  }
}

// The half of a joint that a body carries.
export function jointPart(drawn: DrawnJoint | undefined, point: Point, side: 0 | 1, reach: number, dark: boolean, ghost: boolean): THREE.Object3D {
  const group = new THREE.Group();
  group.position.fromArray(point);
  group.quaternion.copy(along(drawn?.axes?.[side]));
  const material = metal(dark, ghost);
  for (const geometry of partsOf(drawn?.kind, reach / 70)) group.add(new THREE.Mesh(geometry, material));
  return group;
}

// ---- gears --------------------------------------------------------------------------------------------------

interface Wheel {
  body: number;
  center: THREE.Vector3; // world, at the start
  axis: THREE.Vector3;
}

// Where a joint turns or slides, as the drawing stands, and the body that does.
function wheelOf(drawing: Drawing, name: string): Wheel | null {
  const joint = drawing.joints.find((one) => one.name === name);
  if (!joint?.bodies || !joint.anchors || !joint.axes) return null;
  const side = joint.bodies[1] === 'ground' ? 0 : 1;
  const body = drawing.bodies.findIndex((one) => one.name === joint.bodies![side]);
  if (body < 0) return null;
  const { position, orientation } = drawing.bodies[body]!;
  const [w, x, y, z] = orientation;
  const turn = new THREE.Quaternion(x, y, z, w);
  const center = new THREE.Vector3(...joint.anchors[side]).applyQuaternion(turn).add(new THREE.Vector3(...position));
  return { body, center, axis: new THREE.Vector3(...joint.axes[side]).applyQuaternion(turn).normalize() };
}

// Into the body's frame, with x and z of the part along these directions of the world.
function placeIn(drawing: Drawing, body: number, part: THREE.Object3D, center: THREE.Vector3, x: THREE.Vector3, z: THREE.Vector3) {
  const basis = new THREE.Matrix4().makeBasis(x, new THREE.Vector3().crossVectors(z, x), z);
  const { position, orientation } = drawing.bodies[body]!;
  const [qw, qx, qy, qz] = orientation;
  const back = new THREE.Quaternion(qx, qy, qz, qw).invert();
  part.position.copy(center).sub(new THREE.Vector3(...position)).applyQuaternion(back);
  part.quaternion.setFromRotationMatrix(basis).premultiply(back);
}

// Radii of two wheels a distance apart whose angles keep this ratio: turning against each other they touch from outside.
export function pitchRadii(distance: number, ratio: number): [number, number] | null {
  const size = Math.abs(ratio);
  if (!(distance > 0) || size === 0 || (ratio > 0 && Math.abs(size - 1) < 1e-9)) return null;
  if (ratio < 0) return [(distance * size) / (1 + size), distance / (1 + size)];
  return [(distance * size) / Math.abs(1 - size), distance / Math.abs(1 - size)];
}

// Both wheels of a gear, with the radii at which they roll on each other; null: they do not touch.
function gearPair(drawing: Drawing, { joints, ratio }: DrawnJoint) {
  const [first, second] = [wheelOf(drawing, joints![0]), wheelOf(drawing, joints![1])];
  if (!first || !second) return null;
  const apart = second.center.clone().sub(first.center);
  apart.addScaledVector(first.axis, -apart.dot(first.axis));
  // A negative ratio of opposite axes is a positive one of equal axes.
  const signed = (first.axis.dot(second.axis) < 0 ? -1 : 1) * ratio!;
  const radii = pitchRadii(apart.length(), signed);
  return radii && { wheels: [first, second], radii, apart, inside: signed > 0 };
}

// Where wheels of gears and pinions are, and how large.
export function wheelsOf(drawing: Drawing): { center: THREE.Vector3; radius: number }[] {
  return drawing.joints.flatMap((joint) => {
    if (joint.kind === 'rack') return [wheelOf(drawing, joint.joints![0])].flatMap((wheel) => (wheel ? [{ center: wheel.center, radius: 1.15 * Math.abs(joint.ratio!) }] : []));
    const pair = joint.kind === 'gear' && gearPair(drawing, joint);
    return pair ? pair.wheels.map(({ center }, i) => ({ center, radius: 1.15 * pair.radii[i]! })) : [];
  });
}

type Put = (body: number, part: THREE.Object3D) => void;

function addGear(drawing: Drawing, joint: DrawnJoint, materials: THREE.Material[], put: Put) {
  const pair = gearPair(drawing, joint);
  if (!pair) return;
  const { wheels, radii, apart, inside } = pair;
  const small = Math.min(...radii);
  const toward = apart.normalize();
  // Inside the larger one, the smaller one touches on the same side.
  if (inside && radii[0] < radii[1]) toward.negate();
  wheels.forEach(({ body, center, axis }, i) => {
    const shape = inside && radii[i] !== small ? ringGeometry(radii[i]!, moduleOf(small), 0.35 * small) : gearGeometry(radii[i]!, moduleOf(small), 0.35 * small, i === 1 && !inside);
    const part = new THREE.Mesh(shape, materials[body]);
    part.castShadow = true;
    placeIn(drawing, body, part, center, i === 0 || inside ? toward : toward.clone().negate(), axis);
    put(body, part);
  });
}

function addRack(drawing: Drawing, { joints, ratio }: DrawnJoint, materials: THREE.Material[], put: Put) {
  const [pinion, slide] = [wheelOf(drawing, joints![0]), wheelOf(drawing, joints![1])];
  if (!pinion || !slide || !ratio) return;
  const radius = Math.abs(ratio);
  const module = moduleOf(radius);
  // The rim's point that moves as the rack does: axis x point = ratio times the slide's direction.
  const rim = new THREE.Vector3().crossVectors(slide.axis, pinion.axis).multiplyScalar(ratio);
  const toward = rim.clone().normalize();
  const wheel = new THREE.Mesh(gearGeometry(radius, module, 0.35 * radius, false), materials[pinion.body]);
  placeIn(drawing, pinion.body, wheel, pinion.center, toward, pinion.axis);
  put(pinion.body, wheel);
  const bar = new THREE.Mesh(rackGeometry(10 * radius, module, 0.35 * radius), materials[slide.body]);
  const z = new THREE.Vector3().crossVectors(slide.axis, toward.clone().negate());
  placeIn(drawing, slide.body, bar, pinion.center.clone().add(rim), slide.axis, z);
  put(slide.body, bar);
}

// Wheels on the bodies that gears and racks tie.
export function gearsOf(drawing: Drawing, materials: THREE.Material[], put: Put) {
  for (const joint of drawing.joints) {
    if (joint.kind === 'gear') addGear(drawing, joint, materials, put);
    if (joint.kind === 'rack') addRack(drawing, joint, materials, put);
  }
}

// A curve along which something slides.
function wire(points: Point[], reach: number, material: THREE.Material): THREE.Mesh {
  const line = new THREE.CatmullRomCurve3(points.map((point) => new THREE.Vector3(...point)));
  return new THREE.Mesh(new THREE.TubeGeometry(line, points.length, reach / 260, 8), material);
}

// Those that bodies carry; the ground's stand with its rails.
export function wiresOf(drawing: Drawing, reach: number, materials: THREE.Material[], put: Put) {
  for (const { bodies, curve } of drawing.joints) {
    const body = drawing.bodies.findIndex(({ name }) => name === bodies?.[0]);
    if (curve && body >= 0) put(body, wire(curve, reach, materials[body]!));
  }
}

// ---- the ground ---------------------------------------------------------------------------------------------

// A triangle on hatched ground, its tip in the middle of the upper edge.
function groundTexture(dark: boolean): THREE.Texture {
  const size = 96;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const pen = canvas.getContext('2d')!;
  pen.strokeStyle = dark ? '#cbd5e1' : '#475569';
  pen.lineWidth = 4;
  pen.beginPath();
  pen.moveTo(48, 3);
  pen.lineTo(24, 58);
  pen.lineTo(72, 58);
  pen.closePath();
  pen.moveTo(8, 58);
  pen.lineTo(88, 58);
  for (let x = 14; x <= 86; x += 14) {
    pen.moveTo(x + 6, 58);
    pen.lineTo(x - 8, 78);
  }
  pen.stroke();
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

// `hangs`: what is held hangs below the ground, as a chain does.
export function groundSymbol(place: Point, reach: number, dark: boolean, hangs: boolean): THREE.Sprite {
  const texture = groundTexture(dark);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, transparent: true, depthWrite: false }));
  sprite.center.set(0.5, 0.97);
  if (hangs) sprite.material.rotation = Math.PI;
  sprite.scale.setScalar(reach / 7);
  sprite.position.fromArray(place);
  return sprite;
}

// ---- what reaches from place to place -----------------------------------------------------------------------

type WorldOf = (end: DrawnEnd, target: THREE.Vector3) => THREE.Vector3;

interface Tie {
  ends: [DrawnEnd, DrawnEnd];
  part: THREE.Object3D;
  radius: number;
}

// Springs, dampers and rods of fixed length: drawn anew between their ends at each frame; and what stands on the ground.
export class Ties {
  readonly group = new THREE.Group();
  private ties: Tie[] = [];
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();

  build(drawing: Drawing | undefined, reach: number, dark: boolean) {
    this.ties = [];
    if (!drawing) return;
    for (const { kind, bodies, anchors } of drawing.joints) {
      if (kind === 'distance' && bodies && anchors) this.add([cylinder(1, 1).rotateX(Math.PI / 2).translate(0, 0.5, 0)], endsOf(bodies, anchors), reach / 130, dark);
    }
    const springs = [...drawing.springs.map((one) => ({ ...one, ends: endsOf(one.bodies, one.anchors) })), ...(drawing.link_springs ?? [])];
    for (const { ends, stiffness, damping } of springs) {
      if (stiffness !== 0 || damping === 0) this.add([coilGeometry(10, lengthOf(drawing, ends) / (reach / 36))], ends, reach / 36, dark);
      if (damping !== 0) this.add(damperParts(), ends, reach / (stiffness !== 0 ? 70 : 45), dark);
    }
    this.addRails(drawing, reach, dark);
    for (const { bodies, curve } of drawing.joints) {
      if (curve && bodies?.[0] === 'ground') this.group.add(wire(curve, reach, metal(dark)));
    }
  }

  // Where joints slide along the ground.
  private addRails(drawing: Drawing, reach: number, dark: boolean) {
    for (const { slides, bodies, anchors, axes } of drawing.joints) {
      const side = bodies?.indexOf('ground') ?? -1;
      if (!slides || side < 0 || !anchors || !axes) continue;
      const rail = new THREE.Mesh(cylinder(reach / 260, 1.6 * reach), metal(dark));
      rail.position.fromArray(anchors[side]!);
      rail.quaternion.copy(along(axes[side]));
      this.group.add(rail);
    }
  }

  private add(geometries: THREE.BufferGeometry[], ends: [DrawnEnd, DrawnEnd], radius: number, dark: boolean) {
    const part = new THREE.Group();
    const material = metal(dark);
    for (const geometry of geometries) part.add(new THREE.Mesh(geometry, material));
    for (const mesh of part.children) mesh.castShadow = true;
    this.group.add(part);
    this.ties.push({ ends, part, radius });
  }

  get count(): number {
    return this.ties.length;
  }

  update(worldOf: WorldOf) {
    for (const { ends, part, radius } of this.ties) {
      worldOf(ends[0], this.from);
      worldOf(ends[1], this.to).sub(this.from);
      const length = this.to.length();
      part.visible = Number.isFinite(length);
      part.position.copy(this.from);
      part.quaternion.setFromUnitVectors(up, this.to.divideScalar(length || 1));
      part.scale.set(radius, Math.max(length, 1e-9), radius);
    }
  }
}

// As the drawing stands; between bobs, about a third of what is seen.
function lengthOf(drawing: Drawing, ends: [DrawnEnd, DrawnEnd]): number {
  const [a, b] = ends.map((end) => {
    if ('chain' in end) return null;
    const body = drawing.bodies.find(({ name }) => name === end.body);
    const [w, x, y, z] = body?.orientation ?? [1, 0, 0, 0];
    return new THREE.Vector3(...end.anchor).applyQuaternion(new THREE.Quaternion(x, y, z, w)).add(new THREE.Vector3(...(body?.position ?? [0, 0, 0])));
  });
  return Math.max(1e-9, a && b ? a.distanceTo(b) : 1);
}

function endsOf(bodies: [string, string], anchors: [Point, Point]): [DrawnEnd, DrawnEnd] {
  return [{ body: bodies[0], anchor: anchors[0] }, { body: bodies[1], anchor: anchors[1] }];
}
