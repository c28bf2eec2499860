// The editor's moves: each takes a scene document and gives another one. What is drawn lies in the plane y = 0, x to the
// right and z up; what a scene has besides stays as it is. The engine judges every result.
import type { Json, JointKind, Point, SceneDocument } from '../engine/protocol';
import { spelledOut, linkEnds, chainLabel, linkAt } from './chains';
import { chainsOf, copyOf, entriesOf } from './document';
import { ground, listOf, nameOf, bodyOf, Refusal, isHolder, cleaned, freshName, namesIn, chainAt } from './page';
import { added, distance, inFrame, inWorld, isSame, isTable, front, inPlane, normalOf, placeOf, pointFrom, turnAlong, tidy, tidyPoint, turned, turnFrom, turnOf, type Plane, type Table } from './space';

export * from './chains';
export * from './page';

// ---- bodies ---------------------------------------------------------------------------------------------------

// A bar with a weight on it: its mass centre is where a hand put it, and no more in its middle.
const isWeighted = (body: Table) => body.shape === 'compound' && Array.isArray(body.parts) && body.parts.length === 2 && (body.parts as Table[])[0]!.shape === 'rod' && (body.parts as Table[])[1]!.shape === 'sphere' && !pointFrom((body.parts as Table[])[0]!.position);
const rodOf = (body: Table): Table => (isWeighted(body) ? (body.parts as Table[])[0]! : body);
export const massOf = (body: Table): number => (isWeighted(body) ? (body.parts as Table[]).reduce((sum, part) => sum + Number(part.mass), 0) : Number(body.mass));

export const isBar = (body: Table) => (body.shape === 'rod' || isWeighted(body)) && turnFrom(body.orientation) !== null;

// The mass centre of a bar from its middle, in its own frame.
function centreIn(body: Table): Point {
  if (!isWeighted(body)) return [0, 0, 0];
  const weight = (body.parts as Table[])[1]!;
  return pointFrom(weight.position)!.map((c) => (c * Number(weight.mass)) / massOf(body)) as Point;
}

export function sizeOf(whole: Table): Point {
  const body = rodOf(whole);
  const size = pointFrom(body.size);
  if (size) return size;
  const [radius, length] = [Number(body.radius ?? 0), Number(body.length ?? 0)];
  if (body.shape === 'rod') return [length, 2 * radius, 2 * radius];
  return [2 * radius, 2 * radius, length || 2 * radius];
}

export function endsOf(body: Table): [Point, Point] {
  const [half, centre] = [sizeOf(body)[0] / 2, centreIn(body)];
  return [inWorld(body, added([-half, 0, 0], centre, -1)), inWorld(body, added([half, 0, 0], centre, -1))];
}

const tilt = (from: Point, to: Point) => Math.atan2(from[2] - to[2], to[0] - from[0]); // about y, of local x

function setEnds(body: Table, a: Point, b: Point) {
  const rod = rodOf(body);
  const [length, before] = [tidy(distance(a, b)), sizeOf(body)[0]];
  if (Array.isArray(rod.size)) rod.size = [length, rod.size[1]!, rod.size[2]!];
  else rod.length = length;
  const orientation = Math.abs(b[1] - a[1]) < 1e-12 ? { axis: [0, 1, 0], angle: tidy(tilt(a, b)) } : turnAlong(added(b, a, -1)).map(tidy);
  if (isWeighted(body)) {
    const weight = (body.parts as Table[])[1]!;
    const [x, y, z] = pointFrom(weight.position)!;
    weight.position = tidyPoint([before ? (x * length) / before : x, y, z]); // it stays on the same part of the bar
  }
  body.position = tidyPoint(added(added(a, b).map((c) => c / 2) as Point, turned(turnOf({ orientation }), centreIn(body))));
  body.orientation = orientation;
}

const weightPart = 0.5; // of the mass, in the weight of a bar
const sizes = ['size', 'length', 'radius'];

// The mass centre of a body to another place, while all that holds it stays where it is. The shape of a body is about its centre
// and goes along; a bar keeps its ends and gets a weight, twice as far from its middle.
export function moveCentre(doc: SceneDocument, name: string, to: Point): SceneDocument {
  const body = bodyOf(doc, name)!;
  const next = relocated(doc, [], [], { names: [name], by: added(to, placeOf(body), -1) });
  if (!isBar(body)) return next;
  const [mass, rod] = [massOf(body), rodOf(body)];
  const size = Object.fromEntries(sizes.filter((key) => rod[key] !== undefined).map((key) => [key, rod[key]!]));
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => ![...sizes, 'shape', 'mass', 'parts'].includes(key)));
  const middle = added(inFrame(body, to), centreIn(body)); // where the hand is, from the bar's middle
  const weight = { shape: 'sphere', radius: tidy(Math.max(0.03 * sizeOf(body)[0], sizeOf(body)[2] / 2)), mass: tidy(weightPart * mass), position: tidyPoint(middle.map((c) => c / weightPart) as Point) };
  const plain = isSame(middle, [0, 0, 0]);
  const shape: Table = plain ? { shape: 'rod', ...size, mass: tidy(mass) } : { shape: 'compound', parts: [{ shape: 'rod', ...size, mass: tidy((1 - weightPart) * mass) }, weight] };
  next.bodies = listOf(next, 'bodies').map((one) => (one.name === name ? { ...rest, ...shape, position: tidyPoint(to) } : one));
  return next;
}

export function setMass(doc: SceneDocument, name: string, mass: number): SceneDocument {
  const next = copyOf(doc);
  const body = bodyOf(next, name)!;
  if (isWeighted(body)) for (const part of body.parts as Table[]) part.mass = tidy((Number(part.mass) * mass) / massOf(bodyOf(doc, name)!));
  else body.mass = mass;
  return next;
}

// The mass centre of a link, on the link.
export function moveLinkCentre(doc: SceneDocument, c: number, k: number, to: Point): SceneDocument {
  const { from, to: end } = linkEnds(doc, c)[k]!;
  const way = added(end, from, -1);
  const part = added(to, from, -1).reduce((sum, x, i) => sum + x * way[i]!, 0) / Math.max(1e-300, way.reduce((sum, x) => sum + x * x, 0));
  return setLink(doc, c, k, 'center_of_mass', Math.min(1, Math.max(0, Number(part.toFixed(3)))));
}

// All mass centres that a hand can take: of bodies and of links.
export function centresOf(doc: SceneDocument): { part: Part; at: Point; move(to: Point): SceneDocument }[] {
  const bodies = listOf(doc, 'bodies').flatMap((body, index) => (isHolder(body) || body.fixed === true || !(massOf(body) > 0) ? [] : [{ part: { list: 'bodies' as const, index }, at: placeOf(body), move: (to: Point) => moveCentre(doc, nameOf(body), to) }]));
  const links = chainsOf(doc).flatMap((chain, index) => {
    if (chain.kind === 'elastic' || linkCount(doc, index) > 200) return []; // their masses are at their ends
    const own = spelledOut(chain);
    return linkEnds(doc, index).map(({ from, to }, link) => {
      const part = Number(own[link]!.center_of_mass ?? (own[link]!.inertia === 'rod' ? 0.5 : 1));
      return { part: { list: 'chains' as const, index, link }, at: added(from, added(to, from, -1), part), move: (place: Point) => moveLinkCentre(doc, index, link, place) };
    });
  });
  return [...bodies, ...links];
}

export type BodyTool = 'bar' | 'plate' | 'wheel' | 'box' | 'point';

const perMetre = 1; // kg of a bar
const least = 0.01; // kg
const weight = (mass: number) => Math.max(least, tidy(Number(mass.toPrecision(3))));

// Local z across the plane.
const wheelTurns: Table[] = [{ orientation: { axis: [0, 1, 0], angle: '90 deg' } }, { orientation: { axis: [1, 0, 0], angle: '90 deg' } }, {}];

// What is drawn from one point to another; a tap (both the same) is of `usual` size.
export function shaped(tool: BodyTool, from: Point, to: Point, usual: number, plane: Plane = front): Table {
  const way = distance(from, to);
  if (tool === 'bar') {
    const bar: Table = { shape: 'rod', mass: weight(perMetre * way) };
    setEnds(bar, from, to);
    return bar;
  }
  if (tool === 'point') return { shape: 'point', mass: 1, position: tidyPoint(to) };
  if (tool === 'wheel') {
    const radius = tidy(way || usual / 2);
    return { shape: 'cylinder', radius, length: tidy(usual / 5), mass: weight(8 * radius * radius), position: tidyPoint(from), ...wheelTurns[plane.across] };
  }
  // By its diagonal; a tap is its middle.
  const tapped = way === 0;
  const [right, up] = inPlane(plane);
  const size = tapped ? [usual, usual / 2] : [Math.abs(to[right] - from[right]), Math.abs(to[up] - from[up])];
  const depth = tool === 'plate' ? usual / 10 : Math.min(...size);
  const extents = [depth, depth, depth];
  [extents[right], extents[up]] = [size[0]!, size[1]!];
  const middle = tapped ? from : (added(from, to).map((c) => c / 2) as Point);
  return { shape: 'box', size: extents.map(tidy), mass: weight(8 * size[0]! * size[1]!), position: tidyPoint(middle) };
}

// Whether a place is on it, or so near.
export function isOn(body: Table, at: Point, near: number): boolean {
  const [x, y, z] = added(inFrame(body, at), isBar(body) ? centreIn(body) : [0, 0, 0]);
  const size = sizeOf(body);
  if (isBar(body)) return Math.abs(x) <= size[0] / 2 + near && Math.hypot(y, z) <= Math.max(near, size[2] / 2);
  if (body.shape === 'cylinder' || body.shape === 'sphere' || body.shape === 'capsule') return distance(at, placeOf(body)) <= Math.max(near, size[0] / 2);
  if (body.shape === 'point') return distance(at, placeOf(body)) <= near;
  return [x, y, z].every((c, i) => Math.abs(c) <= Math.max(near, size[i]! / 2 + near / 2));
}

// The bodies at a place, those drawn last first; `exactly` those that have a point there.
export function bodiesAt(doc: SceneDocument, at: Point, near: number): string[] {
  const there = listOf(doc, 'bodies').filter((body) => !isHolder(body) && isOn(body, at, near));
  return there.map(nameOf).reverse();
}

export function addBody(doc: SceneDocument, tool: BodyTool, from: Point, to: Point, usual: number, pin: JointKind, plane: Plane = front): { doc: SceneDocument; name: string } {
  const next = copyOf(doc);
  const name = freshName(namesIn(doc), tool);
  const body: Table = { name, ...shaped(tool, from, to, usual, plane) };
  next.bodies = [...listOf(next, 'bodies'), body];
  // What begins or ends on something else is pinned to it there.
  const ends = tool === 'bar' ? [from, to] : [placeOf(body)];
  for (const at of ends) {
    const other = holderAt(doc, at);
    if (other !== null) next.joints = [...listOf(next, 'joints'), jointAt(next, pin, [other, name], at, normalOf(plane))];
  }
  return { doc: cleaned(next), name };
}

// What has a point exactly there: a pivot, an end, a middle, a link's end. Null: nothing.
function holderAt(doc: SceneDocument, at: Point): string | null {
  const place = [...placesOf(doc)].reverse().find((one) => isSame(one.at, at) && one.body !== ground);
  if (place) return place.body;
  const body = [...listOf(doc, 'bodies')].reverse().find((one) => !isHolder(one) && handlesOf(one).some((handle) => isSame(handle, at)));
  if (body) return nameOf(body);
  return placesOf(doc).some((one) => isSame(one.at, at)) ? ground : null;
}

// The largest face of a box: half of it to the right and half of it up, in the box's own frame.
export function faceOf(body: Table): { right: Point; up: Point } {
  const size = sizeOf(body);
  const thin = size[1] <= size[0] && size[1] <= size[2] ? 1 : size[0] <= size[2] ? 0 : 2;
  const [right, up] = inPlane({ across: thin, at: 0 });
  const along = (axis: number) => size.map((c, i) => (i === axis ? c / 2 : 0)) as Point;
  return { right: along(right), up: along(up) };
}

// Points of a body that others snap to.
export function handlesOf(body: Table): Point[] {
  if (isBar(body)) return [...endsOf(body), placeOf(body)];
  if (body.shape !== 'box') return [placeOf(body)];
  const { right, up } = faceOf(body);
  return [placeOf(body), ...[[-1, -1], [1, -1], [-1, 1], [1, 1], [0, -1], [0, 1], [-1, 0], [1, 0]].map(([a, b]) => inWorld(body, added(right.map((c) => a! * c) as Point, up, b!)))];
}

// ---- places where things hold one another ---------------------------------------------------------------------

export interface Held {
  list: 'joints' | 'chains' | 'forces';
  index: number;
  body: string;
  at: Point; // world
  put(doc: SceneDocument, at: Point): void;
}

// Every place that something says in words of bodies or of the world, with the way to write another one there.
export function placesOf(doc: SceneDocument): Held[] {
  const out: Held[] = [];
  const local = (owner: Table, key: string, i: number | null, body: string): Pick<Held, 'at'> | null => {
    const value = i === null ? owner[key] : (owner[key] as Json[] | undefined)?.[i];
    const point = value === undefined && key.endsWith('_point') ? ([0, 0, 0] as Point) : pointFrom(value);
    return point && { at: inWorld(body === ground ? undefined : bodyOf(doc, body), point) };
  };
  const putLocal = (list: Held['list'], index: number, key: string, i: number | null, body: string) => (to: SceneDocument, at: Point) => {
    const owner = list === 'chains' ? chainAt(to, index) : listOf(to, list)[index]!;
    const point = tidyPoint(inFrame(body === ground ? undefined : bodyOf(to, body), at));
    if (i === null) owner[key] = point;
    else owner[key] = (owner[key] as Json[]).map((old, k) => (k === i ? point : old));
  };
  listOf(doc, 'joints').forEach((joint, index) => {
    const bodies = Array.isArray(joint.bodies) ? joint.bodies.map(String) : [];
    bodies.forEach((body, i) => {
      const world = pointFrom(joint.point) ?? pointFrom((joint.points as Json[] | undefined)?.[i]);
      if (world) {
        const put = (to: SceneDocument, at: Point) => {
          const own = listOf(to, 'joints')[index]!;
          if (own.point) own.point = tidyPoint(at);
          else own.points = (own.points as Json[]).map((old, k) => (k === i ? tidyPoint(at) : old));
        };
        out.push({ list: 'joints', index, body, at: world, put });
        return;
      }
      const found = local(joint, 'anchors', i, body);
      if (found) out.push({ list: 'joints', index, body, ...found, put: putLocal('joints', index, 'anchors', i, body) });
    });
  });
  chainsOf(doc).forEach((chain, index) => {
    for (const key of ['pivot', 'end']) {
      const held = chain[key] ?? (key === 'pivot' ? [0, 0, 0] : undefined);
      if (typeof held === 'string') {
        const found = local(chain, `${key}_point`, null, held);
        if (found && bodyOf(doc, held)) out.push({ list: 'chains', index, body: held, ...found, put: putLocal('chains', index, `${key}_point`, null, held) });
      } else if (pointFrom(held)) {
        out.push({ list: 'chains', index, body: ground, at: pointFrom(held)!, put: (to, at) => (chainAt(to, index)[key] = tidyPoint(at)) });
      }
    }
  });
  listOf(doc, 'forces').forEach((force, index) => {
    if (!Array.isArray(force.between)) return;
    force.between.forEach((end, i) => {
      const rests = pointFrom(end);
      if (rests) out.push({ list: 'forces', index, body: ground, at: rests, put: (to, at) => (listOf(to, 'forces')[index]!.between = (listOf(to, 'forces')[index]!.between as Json[]).map((old, k) => (k === i ? tidyPoint(at) : old))) });
      const found = typeof end === 'string' && bodyOf(doc, end) ? local(force, 'points', i, end) : null;
      if (found) out.push({ list: 'forces', index, body: String(end), ...found, put: putLocal('forces', index, 'points', i, String(end)) });
    });
  });
  return out;
}

// ---- moving ---------------------------------------------------------------------------------------------------

// A body whose point at `from` is at `to` from now on: bars turn and change their length, what is held by its middle follows,
// and others have the point elsewhere.
function follow(body: Table, from: Point, to: Point) {
  if (isBar(body)) {
    const [a, b] = endsOf(body);
    if (isSame(a, from)) return setEnds(body, to, b);
    if (isSame(b, from)) return setEnds(body, a, to);
  }
  if (isSame(placeOf(body), from)) body.position = tidyPoint(to);
}

function relocated(doc: SceneDocument, moves: [Point, Point][], also: string[] = [], carried: { names: string[]; by: Point } = { names: [], by: [0, 0, 0] }): SceneDocument {
  const next = copyOf(doc);
  const places = placesOf(doc);
  for (const body of listOf(next, 'bodies')) {
    const name = nameOf(body);
    if (carried.names.includes(name)) {
      body.position = tidyPoint(added(placeOf(body), carried.by));
      continue;
    }
    for (const [from, to] of moves) {
      if (also.includes(name) || places.some((place) => place.body === name && isSame(place.at, from))) follow(body, from, to);
    }
  }
  for (const { at, put } of places) put(next, moves.find(([from]) => isSame(from, at))?.[1] ?? at);
  return next;
}

// A pivot or an end of a bar to another place, with all that meets there.
export function movePoint(doc: SceneDocument, from: Point, to: Point): SceneDocument {
  const also = listOf(doc, 'bodies').filter((body) => isBar(body) && endsOf(body).some((end) => isSame(end, from))).map(nameOf);
  return relocated(doc, [[from, to]], also);
}

// Bodies as they are to another place; what they are joined to follows at the pivots.
export function moveBodies(doc: SceneDocument, names: string[], by: Point): SceneDocument {
  const pivots: Point[] = [];
  for (const { body, at } of placesOf(doc)) if (names.includes(body) && !pivots.some((one) => isSame(one, at))) pivots.push(at);
  return relocated(doc, pivots.map((at) => [at, added(at, by)]), [], { names, by });
}

// Another length or angle of a bar about its first end.
export function setBar(doc: SceneDocument, name: string, { length, angle }: { length?: number; angle?: number }): SceneDocument {
  const [a, b] = endsOf(bodyOf(doc, name)!);
  const far = length ?? distance(a, b);
  if (angle === undefined) return movePoint(doc, b, added(a, added(b, a, -1), far / distance(a, b)));
  return movePoint(doc, b, added(a, [far * Math.cos(angle), 0, far * Math.sin(angle)]));
}

// Whether it lies in a plane across y, as the picture shows it.
export const isFlat = (body: Table) => Math.abs(turned(turnOf(body), [1, 0, 0])[1]) < 1e-9;

// Upwards from the right, rad: as one draws angles.
export const angleOf = (body: Table) => {
  const [x, , z] = turned(turnOf(body), [1, 0, 0]);
  return Math.atan2(z, x);
};

// ---- joints ---------------------------------------------------------------------------------------------------

// Kinds that leave a way along their axis: it is drawn. Of others the axis is across the picture.
export const slides = (kind: JointKind) => kind.place === 'point' && kind.axes === 'one' && kind.coordinate !== 'angle' && kind.name !== 'planar';

const stems: Record<string, string> = { revolute: 'pin', prismatic: 'slider', 'point-on-line': 'slot', fixed: 'weld', distance: 'rod' };

function jointAt(doc: SceneDocument, kind: JointKind, bodies: [string, string], at: Point, axis: Point): Table {
  const joint: Table = { name: freshName(namesIn(doc), stems[kind.name] ?? kind.name), kind: kind.name, bodies, point: tidyPoint(at) };
  if (['one', 'two', 'one-or-two'].includes(kind.axes)) joint.axis = tidyPoint(axis);
  if (kind.axes === 'two') joint.axis2 = Math.abs(axis[0]) > 0.9 ? [0, 0, 1] : [1, 0, 0];
  if (kind.value) joint[kind.value] = 0.1;
  if (kind.curve) joint[kind.curve] = [`${tidy(at[0])} + cos(s) - 1`, '0', `${tidy(at[2])} + sin(s)`];
  if (kind.place === 'curve') joint.point = tidyPoint(at);
  return joint;
}

const joins = (joint: Table, a: string, b: string) => Array.isArray(joint.bodies) && joint.bodies.includes(a) && joint.bodies.includes(b);

// The two that a joint at a place is of: the two bodies drawn last there that are not joined yet, or one and the ground.
export function pairAt(doc: SceneDocument, at: Point, near: number): [string, string] {
  const [first, ...others] = bodiesAt(doc, at, near);
  if (first === undefined) throw new Refusal('build.nothing-here', at);
  const joints = placesOf(doc).filter((place) => place.list === 'joints' && distance(place.at, at) <= near).map(({ index }) => listOf(doc, 'joints')[index]!);
  const other = others.find((name) => !joints.some((joint) => joins(joint, first, name)));
  if (other !== undefined) return [other, first];
  const grounded = (name: string) => joints.some((joint) => joins(joint, name, ground));
  const free = [first, ...others].find((name) => !grounded(name));
  if (free === undefined || [first, ...others].some(grounded)) throw new Refusal('build.joined-here', at);
  return [ground, free];
}

export function addJoint(doc: SceneDocument, kind: JointKind, bodies: [string, string], at: Point, axis: Point): { doc: SceneDocument; index: number } {
  const next = copyOf(doc);
  next.joints = [...listOf(next, 'joints'), jointAt(doc, kind, bodies, at, axis)];
  return { doc: next, index: listOf(next, 'joints').length - 1 };
}

// A joint with two ends, each on a body or on the ground.
export function addRod(doc: SceneDocument, kind: JointKind, from: Point, to: Point, near: number): { doc: SceneDocument; index: number } {
  const [a, b] = twoEnds(doc, from, to, near);
  const next = copyOf(doc);
  next.joints = [...listOf(next, 'joints'), { name: freshName(namesIn(doc), stems[kind.name] ?? kind.name), kind: kind.name, bodies: [a ?? ground, b ?? ground], points: [tidyPoint(from), tidyPoint(to)] }];
  return { doc: next, index: listOf(next, 'joints').length - 1 };
}

// The bodies at both ends, if any: two different ones, or one and the ground.
function twoEnds(doc: SceneDocument, from: Point, to: Point, near: number): [string | undefined, string | undefined] {
  const [first, there] = [bodiesAt(doc, from, near), bodiesAt(doc, to, near)];
  if (!first.length && !there.length) throw new Refusal('build.nothing-here', from);
  const a = first.find((name) => !there.includes(name)) ?? first[0];
  const b = there.find((name) => name !== a);
  if (b === undefined && there.length) throw new Refusal('build.itself', to);
  return [a, b];
}

// Gears and racks tie two joints that are there.
export function addTie(doc: SceneDocument, kind: JointKind, first: number, second: number): { doc: SceneDocument; index: number } {
  const joints = listOf(doc, 'joints');
  if (first === second) throw new Refusal('build.itself', placesOf(doc).find(({ list, index }) => list === 'joints' && index === first)?.at ?? [0, 0, 0]);
  const radius = (joint: Table) => {
    const body = (joint.bodies as string[]).map((name) => bodyOf(doc, name)).find((one) => one?.shape === 'cylinder');
    return body ? sizeOf(body)[0] / 2 : 0;
  };
  const [a, b] = [radius(joints[first]!), radius(joints[second]!)];
  const ratio = kind.name === 'rack' ? a || 0.1 : a && b ? -a / b : -1;
  const next = copyOf(doc);
  next.joints = [...joints, { name: freshName(namesIn(doc), kind.name), kind: kind.name, joints: [nameOf(joints[first]), nameOf(joints[second])], ...(kind.value ? { [kind.value]: tidy(ratio) } : {}) }];
  return { doc: next, index: joints.length };
}

// A spring or damper between two places, each on a body, at a link's end or in the world.
export function addSpring(doc: SceneDocument, from: Point, to: Point, near: number, values: Table): { doc: SceneDocument; index: number } {
  const ends = [from, to].map((at) => ({ at, link: linkAt(doc, at, near), body: bodiesAt(doc, at, near)[0] }));
  if (ends.every(({ link, body }) => !link && body === undefined)) throw new Refusal('build.nothing-here', from);
  if (ends.every(({ link }) => !link) && ends[0]!.body !== undefined && ends[1]!.body !== undefined) [ends[0]!.body, ends[1]!.body] = twoEnds(doc, from, to, near) as [string, string];
  const between = ends.map(({ at, link, body }) => (link ? `${link.chain}.${link.link + 1}` : (body ?? tidyPoint(at))));
  const points = ends.map(({ at, link, body }) => (link || body === undefined ? [0, 0, 0] : tidyPoint(inFrame(bodyOf(doc, body), at))));
  const next = copyOf(doc);
  const force: Table = { kind: 'spring', between, ...values };
  if (ends.some(({ link, body }) => !link && body !== undefined)) force.points = points;
  next.forces = [...listOf(next, 'forces'), force];
  return { doc: next, index: listOf(next, 'forces').length - 1 };
}

export function setMotor(doc: SceneDocument, index: number, motor: Table | null): SceneDocument {
  return setField(doc, 'joints', index, 'motor', motor);
}

// ---- parts ----------------------------------------------------------------------------------------------------

export interface Part {
  list: 'bodies' | 'joints' | 'chains' | 'forces';
  index: number;
  link?: number;
}

export const isPart = (a: Part, b: Part) => a.list === b.list && a.index === b.index && a.link === b.link;

export const partOf = (doc: SceneDocument, { list, index }: Part): Table | undefined => (list === 'chains' ? chainsOf(doc)[index] : listOf(doc, list)[index]);

export function setField(doc: SceneDocument, list: Part['list'], index: number, key: string, value: Json): SceneDocument {
  const next = copyOf(doc);
  const part = partOf(next, { list, index })!;
  if (value === null) delete part[key];
  else part[key] = value;
  return next;
}

export function setLink(doc: SceneDocument, c: number, k: number, key: string, value: Json): SceneDocument {
  const next = copyOf(doc);
  const links = spelledOut(chainAt(next, c));
  links[k]![key] = value;
  chainAt(next, c).links = links;
  return next;
}

// Under another name, wherever it is named.
export function renamed(doc: SceneDocument, part: Part, name: string): SceneDocument {
  const before = nameOf(partOf(doc, part));
  const next = copyOf(doc);
  partOf(next, part)!.name = name;
  const swap = (value: Json | undefined): Json | undefined => (value === before ? name : Array.isArray(value) ? value.map((one) => swap(one)!) : value);
  if (part.list === 'bodies') {
    for (const joint of listOf(next, 'joints')) if (joint.bodies) joint.bodies = swap(joint.bodies)!;
    for (const chain of chainsOf(next)) for (const key of ['pivot', 'end']) if (typeof chain[key] === 'string') chain[key] = swap(chain[key])!;
  }
  if (part.list === 'joints') for (const joint of listOf(next, 'joints')) if (joint.joints) joint.joints = swap(joint.joints)!;
  for (const force of listOf(next, 'forces')) for (const key of ['on', 'between']) if (force[key]) force[key] = swap(force[key])!;
  return next;
}

const names = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

// Without some parts, and without all that needs them.
export function without(doc: SceneDocument, parts: Part[]): SceneDocument {
  const next = copyOf(doc);
  const gone = (list: Part['list'], index: number) => parts.some((part) => part.list === list && part.index === index && part.link === undefined);
  for (const { list, index, link } of parts) if (list === 'chains' && link !== undefined) renumber(next, chainLabel(doc, index), cutLink(chainAt(next, index), link));
  const bodies = new Set(listOf(next, 'bodies').filter((_, i) => gone('bodies', i)).map(nameOf));
  const joint = (one: Table, i: number) => gone('joints', i) || names(one.bodies).some((name) => bodies.has(name));
  const joints = new Set(listOf(next, 'joints').filter(joint).map(nameOf));
  const chain = (one: Table, i: number) => gone('chains', i) || bodies.has(String(one.pivot)) || !entriesOf(one).length;
  const chains = new Set(chainsOf(next).map((one, i) => (chain(one, i) ? nameOf(one) || 'chain' : '')).filter(Boolean));
  const named = (name: string) => bodies.has(name) || chains.has(name.split('.')[0]!);
  next.forces = listOf(next, 'forces').filter((one, i) => !gone('forces', i) && !names(one.between).some(named) && !names(one.on).some(named));
  next.joints = listOf(next, 'joints').filter((one, i) => !joint(one, i) && !names(one.joints).some((name) => joints.has(name)));
  next.bodies = listOf(next, 'bodies').filter((body) => !bodies.has(nameOf(body)));
  for (const one of chainsOf(next)) if (bodies.has(String(one.end))) for (const key of ['end', 'end_point']) delete one[key];
  if (next.chain && chain(next.chain as Table, 0)) delete next.chain;
  if (next.chains) next.chains = (next.chains as Table[]).filter((one, i) => !chain(one, i));
  return cleaned(next);
}

// What names links of a chain by their numbers names them by their new ones; what named one that is gone goes, too.
function renumber(doc: SceneDocument, chain: string, kept: number[]) {
  const fresh = (value: Json): Json | null => {
    const [, label, link] = (typeof value === 'string' && /^(.*)\.(\d+)$/.exec(value)) || [];
    if (label !== chain) return value;
    const at = kept.indexOf(Number(link) - 1);
    return at < 0 ? null : `${label}.${at + 1}`;
  };
  doc.forces = listOf(doc, 'forces').flatMap((force) => {
    const out = { ...force };
    for (const key of ['between', 'on'] as const) {
      if (!Array.isArray(force[key])) continue;
      const names = force[key].map(fresh);
      const left = names.filter((one) => one !== null);
      if (key === 'between' ? left.length < names.length : !left.length && names.length) return [];
      out[key] = left as Json[];
    }
    return [out];
  });
}

// A link, and all that hangs on it. The numbers of those that stay.
function cutLink(chain: Table, at: number): number[] {
  const links = spelledOut(chain);
  const cut = new Set([at]);
  const parents = links.map((link, k) => (typeof link.parent === 'number' ? link.parent : k) - 1);
  parents.forEach((parent, k) => cut.has(parent) && cut.add(k));
  const kept = links.map((_, k) => k).filter((k) => !cut.has(k));
  chain.links = kept.map((k, i) => {
    const { parent: _, ...link } = links[k]!;
    const parent = kept.indexOf(parents[k]!);
    return parents[k] === -1 && i > 0 ? { ...link, parent: 0 } : parent >= 0 && parent !== i - 1 ? { ...link, parent: parent + 1 } : link;
  });
  if (cut.has(links.length - 1)) for (const key of ['end', 'end_point']) delete chain[key];
  return kept;
}

// Bodies once more, with the joints and springs between them and to the ground, elsewhere or as in a mirror. What they are joined to
// besides stays with the first ones.
export function copied(doc: SceneDocument, which: string[], place: (at: Point) => Point, mirrored: boolean): { doc: SceneDocument; names: string[] } {
  const next = copyOf(doc);
  const taken = namesIn(doc);
  const called = new Map<string, string>();
  const name = (before: string) => {
    const fresh = freshName(taken, before.replace(/\d+$/, ''));
    taken.push(fresh);
    called.set(before, fresh);
    return fresh;
  };
  const flip = (point: Point): Point => (mirrored ? [-point[0], point[1], point[2]] : point); // in a body's own frame
  const across = (axis: Point): Point => (mirrored ? [axis[0], -axis[1], -axis[2]] : axis); // what turns, turns the other way
  const inSpace = (value: Json | undefined, change: (point: Point) => Point): Json | undefined => {
    const point = pointFrom(value);
    return point ? tidyPoint(change(point)) : value;
  };
  const bodies = listOf(doc, 'bodies').filter((body) => which.includes(nameOf(body)));
  for (const body of bodies) {
    const made: Table = { ...structuredClone(body), name: name(nameOf(body)), position: tidyPoint(place(placeOf(body))) };
    const turn = turnFrom(body.orientation);
    if (mirrored && isWeighted(made)) (made.parts as Table[])[1]!.position = inSpace((made.parts as Table[])[1]!.position, flip)!;
    if (mirrored && turn && body.orientation !== undefined) made.orientation = [turn[0], turn[1], -turn[2], -turn[3]].map(tidy);
    if (mirrored && made.velocity) made.velocity = inSpace(made.velocity, flip)!;
    if (mirrored && made.angular_velocity) made.angular_velocity = inSpace(made.angular_velocity, across)!;
    listOf(next, 'bodies').push(made);
  }
  const inside = (joint: Table) => names(joint.bodies).length === 2 && names(joint.bodies).every((one) => one === ground || called.has(one));
  for (const joint of listOf(doc, 'joints')) {
    const ties = names(joint.joints);
    if (!inside(joint) && !(ties.length && ties.every((one) => called.has(one)))) continue;
    const made: Table = { ...structuredClone(joint), name: name(nameOf(joint)) };
    if (made.bodies) made.bodies = names(joint.bodies).map((one) => called.get(one) ?? one);
    if (ties.length) made.joints = ties.map((one) => called.get(one)!);
    for (const key of ['point']) if (made[key]) made[key] = inSpace(made[key], place)!;
    if (Array.isArray(made.points)) made.points = made.points.map((one) => inSpace(one, place)!);
    for (const key of ['axis', 'axis2']) if (made[key]) made[key] = inSpace(made[key], across)!;
    if (Array.isArray(made.anchors)) made.anchors = made.anchors.map((one, i) => inSpace(one, names(joint.bodies)[i] === ground ? place : flip)!);
    if (Array.isArray(made.axes)) made.axes = made.axes.map((one) => inSpace(one, across)!);
    next.joints = [...listOf(next, 'joints'), made];
  }
  // Springs and dampers between them, and to the world.
  for (const force of listOf(doc, 'forces')) {
    const ends = Array.isArray(force.between) ? force.between : [];
    if (!ends.some((end) => typeof end === 'string') || !ends.every((end) => typeof end !== 'string' || called.has(end))) continue;
    const made: Table = { ...structuredClone(force), between: ends.map((end) => (typeof end === 'string' ? called.get(end)! : inSpace(end, place)!)) };
    if (made.name) made.name = name(nameOf(force));
    if (Array.isArray(made.points)) made.points = made.points.map((one, i) => (typeof ends[i] === 'string' ? inSpace(one, flip)! : one));
    next.forces = [...listOf(next, 'forces'), made];
  }
  return { doc: next, names: bodies.map((body) => called.get(nameOf(body))!) };
}

// Bodies as one from now on: each is welded to the first.
export function welded(doc: SceneDocument, which: string[], weld: JointKind): SceneDocument {
  const [first, ...others] = which;
  let next = doc;
  for (const other of others) next = addJoint(next, weld, [first!, other], placeOf(bodyOf(doc, other)!), [0, 1, 0]).doc;
  return next;
}

// All points to snap to.
export function snapPoints(doc: SceneDocument): Point[] {
  const bodies = listOf(doc, 'bodies').filter((body) => !isHolder(body));
  return [...placesOf(doc).map(({ at }) => at), ...bodies.flatMap(handlesOf), ...chainsOf(doc).flatMap((_, c) => (linkCount(doc, c) <= 200 ? linkEnds(doc, c).map(({ to }) => to) : []))];
}

const linkCount = (doc: SceneDocument, c: number) => entriesOf(chainAt(doc, c)).reduce((sum, entry) => sum + Number(entry.repeat ?? 1), 0);

// What is drawn of a motor: its rate in rad/s or m/s, where it is even.
export function motorRate(motor: Json | undefined): number | null {
  const formula = isTable(motor) ? String(motor.angle ?? motor.travel ?? '') : '';
  const even = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*\*\s*t\s*$/i.exec(formula);
  return even ? Number(even[1]) : null;
}

// A place as the body has it in its own frame.
export const inBody = (body: Table, at: Point): Point => tidyPoint(inFrame(body, at));
export const toWorld = (body: Table, point: Point): Point => inWorld(body, point);
