// How a scene is looked at: from which side, and how much of space.
import * as THREE from 'three';
import type { BodyInfo, ChainInfo, Drawing, JointInfo, Point } from '../engine/protocol';
import { extentOf } from '../rows';
import { wheelsOf } from './joints';

export interface Basis {
  right: THREE.Vector3;
  up: THREE.Vector3;
  eye: THREE.Vector3; // from what is seen towards the eye
}

// A place and how far from it something may be.
export interface Ball {
  at: THREE.Vector3;
  radius: number;
}

export interface Extent {
  center: THREE.Vector3;
  reach: number; // a ball around the centre has room for all
  across: number; // half of the width and height that are seen from the front
  upward: number;
  hangs: boolean; // chains alone: they swing about their pivots
  empty?: boolean; // nothing is drawn yet
}

// Across the plane in which everything moves, if there is one.
export function planeOf(chains: ChainInfo[], drawing: Drawing | undefined, hasBodies: boolean): THREE.Vector3 | null {
  const normals = chains.map((chain) => (chain.planar ? new THREE.Vector3(Math.sin(chain.azimuth), -Math.cos(chain.azimuth), 0) : null));
  if (hasBodies) normals.push(drawing?.normal ? new THREE.Vector3(...drawing.normal).normalize() : null);
  const first = normals[0];
  return first && normals.every((one) => one && Math.abs(one.dot(first)) > 1 - 1e-6) ? first : null;
}

// Planes are seen from the front: what lies in a horizontal plane from above, all else upright.
export function basisOf(chains: ChainInfo[], drawing: Drawing | undefined, hasBodies: boolean): Basis {
  const normal = planeOf(chains, drawing, hasBodies);
  if (chains[0]?.planar) {
    const [c, s] = [Math.cos(chains[0].azimuth), Math.sin(chains[0].azimuth)];
    return { right: new THREE.Vector3(c, s, 0), up: new THREE.Vector3(0, 0, 1), eye: new THREE.Vector3(s, -c, 0) };
  }
  if (!normal) return { right: new THREE.Vector3(1, 0, 0), up: new THREE.Vector3(0, 0, 1), eye: new THREE.Vector3(0, -1, 0) };
  if (Math.abs(normal.z) > 0.999) return { right: new THREE.Vector3(1, 0, 0), up: new THREE.Vector3(0, 1, 0), eye: new THREE.Vector3(0, 0, 1) };
  const up = new THREE.Vector3(0, 0, 1).addScaledVector(normal, -normal.z).normalize();
  const right = new THREE.Vector3().crossVectors(up, normal);
  const turned = right.x < -1e-9 || (Math.abs(right.x) <= 1e-9 && right.y < 0);
  return { right: turned ? right.negate() : right, up, eye: turned ? normal.clone().negate() : normal.clone() };
}

export function longestWay(chain: ChainInfo): number {
  const reach: number[] = [];
  chain.parent.forEach((parent, k) => reach.push((parent < 0 ? 0 : reach[parent]!) + chain.length[k]!));
  return Math.max(...reach);
}

function radiusOf(body: BodyInfo, drawing: Drawing | undefined, i: number): number {
  const drawn = drawing?.bodies[i];
  const own = drawn?.shapes.map(({ size, vertices, position }) => Math.hypot(...position) + (vertices ? Math.max(...vertices.map((v) => Math.hypot(...v))) : Math.hypot(...(size ?? [0])) / 2)) ?? [];
  return Math.max(0, ...own, drawn?.ellipsoid ? Math.max(...drawn.ellipsoid) / 2 : 0, drawn ? 0 : Math.hypot(...body.size) / 2);
}

const turning = ['revolute', 'ball', 'universal'];

// What hangs on the ground by hinges, one after the other and in no loop, may swing all around the first of them: balls with
// room for each such body.
function swingsOf(bodies: BodyInfo[], joints: JointInfo[], drawing: Drawing | undefined): Ball[] {
  const own = joints.map((joint, j) => ({ ...joint, turns: turning.includes(drawing?.joints[j]?.kind ?? '') })).filter(({ ties }) => !ties);
  const touching = (body: number) => own.filter(({ a, b }) => a === body || b === body);
  const far = (a: Point, b: Point) => Math.hypot(...a.map((x, k) => x - b[k]!));
  const balls: Ball[] = [];
  for (const root of own.filter(({ a, b }) => Math.min(a, b) < 0)) {
    const group = new Set([Math.max(root.a, root.b)]);
    for (const body of group) for (const { a, b } of touching(body)) for (const other of [a, b]) if (other >= 0) group.add(other);
    if (own.filter(({ a, b }) => group.has(a) || group.has(b)).length > group.size) continue; // a loop, or held twice
    const visit = (joint: (typeof own)[number], from: number, pivot: Ball) => {
      const [to, there] = joint.a === from ? [joint.b, joint.in_b] : [joint.a, joint.in_a];
      if (!joint.turns) return;
      balls.push({ at: pivot.at, radius: pivot.radius + Math.hypot(...there) + 0.6 * radiusOf(bodies[to]!, drawing, to) });
      for (const next of touching(to)) if (next !== joint) visit(next, to, { at: pivot.at, radius: pivot.radius + far(there, next.a === to ? next.in_a : next.in_b) });
    };
    visit(root, Math.min(root.a, root.b), { at: new THREE.Vector3(...(root.a < 0 ? root.in_a : root.in_b)), radius: 0 });
  }
  return balls;
}

// All that has to be seen at the start, and what chains and pendulums may reach.
function ballsOf(chains: ChainInfo[], bodies: BodyInfo[], joints: JointInfo[], drawing: Drawing | undefined): Ball[] {
  const ball = (at: Point, radius = 0): Ball => ({ at: new THREE.Vector3(...at), radius });
  // Springs hang and swing beyond their lengths at rest.
  const out = chains.map((chain, c) => {
    const way = longestWay(chain) * (chain.elastic ? 1.3 : 1);
    const end = drawing?.chains[c]?.end;
    // Held at both ends, it stays within the ellipse about them.
    return end?.body === 'ground' ? ball(chain.pivot.map((x, i) => (x + end.anchor[i]!) / 2) as Point, way / 2) : ball(chain.pivot, way);
  });
  bodies.forEach((body, i) => out.push(ball(body.position, radiusOf(body, drawing, i))));
  out.push(...swingsOf(bodies, joints, drawing));
  for (const { a, b, in_a, in_b, ties } of joints) if (!ties && Math.min(a, b) < 0) out.push(ball(a < 0 ? in_a : in_b));
  for (const { bodies: names, anchors } of drawing?.springs ?? []) names.forEach((name, i) => name === 'ground' && out.push(ball(anchors[i]!)));
  for (const { ends } of drawing?.link_springs ?? []) for (const end of ends) if ('body' in end && end.body === 'ground') out.push(ball(end.anchor));
  // What acts from far away is not looked at: a satellite is, and not its planet.
  const size = Math.max(...out.map(({ at, radius }) => at.distanceTo(out[0]!.at) + radius));
  for (const { position } of drawing?.sources ?? []) {
    const source = ball(position);
    const distance = Math.min(...out.map(({ at }) => at.distanceTo(source.at)));
    if (distance < 20 * size) out.push({ ...source, radius: 0.07 * distance }); // about as it is drawn
  }
  if (drawing) out.push(...wheelsOf(drawing).map(({ center, radius }) => ({ at: center, radius })));
  return out;
}

export function extentOfScene(chains: ChainInfo[], bodies: BodyInfo[], joints: JointInfo[], drawing: Drawing | undefined, { right, up }: Basis): Extent {
  // A point in the space of coordinates is seen around its origin.
  if (!chains.length && bodies.length === 1 && bodies[0]!.free === false) {
    const { center, reach } = extentOf(bodies);
    return { center: new THREE.Vector3(...center), reach, across: reach, upward: reach, hangs: false };
  }
  const balls = ballsOf(chains, bodies, joints, drawing);
  const span = (axis: THREE.Vector3) => {
    const [low, high] = [Math.min(...balls.map(({ at, radius }) => at.dot(axis) - radius)), Math.max(...balls.map(({ at, radius }) => at.dot(axis) + radius))];
    return { middle: (low + high) / 2, half: (high - low) / 2 };
  };
  const depth = new THREE.Vector3().crossVectors(right, up);
  const [x, y, z] = [span(right), span(up), span(depth)];
  const center = new THREE.Vector3().addScaledVector(right, x.middle).addScaledVector(up, y.middle).addScaledVector(depth, z.middle);
  // A page on which nothing is drawn yet has room for something of about a metre.
  if (balls.every(({ at, radius }) => radius < 1e-9 && at.distanceTo(balls[0]!.at) < 1e-9)) return { center, reach: 0.8, across: 0.75, upward: 0.5, hangs: false, empty: true };
  const reach = Math.max(1e-9, ...balls.map(({ at, radius }) => at.distanceTo(center) + radius));
  return { center, reach, across: Math.max(x.half, 0.25 * reach), upward: Math.max(y.half, 0.25 * reach), hangs: !bodies.length };
}
