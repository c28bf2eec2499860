// A small picture of a scene as it starts, as a drawing of lines: from what the engine says that there is.
import type { DrawnShape, Point, SceneDocument, Seen, Turn } from '../engine/protocol';
import { linkEnds } from '../scene/build';
import { added, turned } from '../scene/space';
import { basisOf } from '../view/frame';

export interface Stroke {
  kind: 'link' | 'bob' | 'body' | 'joint' | 'text';
  points: [number, number][];
  radius: number;
  text?: string;
}

export interface Figure {
  strokes: Stroke[];
  box: [number, number, number, number]; // x y width height
}

const around = Array.from({ length: 24 }, (_, i) => (i * Math.PI) / 12);

// Outlines of a shape in its own frame: of round ones a circle across each axis that the eye may look along.
function outlines({ shape, size, vertices, triangles }: DrawnShape): Point[][] {
  if (vertices && triangles) return triangles.slice(0, 60).map((corners) => corners.map((i) => vertices[i]!));
  const [x, y, z] = (size ?? [0.1, 0.1, 0.1]).map((c) => c / 2) as Point;
  if (shape === 'rod') return [[[-x, 0, 0], [x, 0, 0]]];
  const ring = (a: Point, b: Point, at: Point = [0, 0, 0]) => around.map((turn) => added(added(at, a, Math.cos(turn)), b, Math.sin(turn)));
  if (shape === 'sphere' || shape === 'ellipsoid') return [ring([x, 0, 0], [0, y, 0]), ring([x, 0, 0], [0, 0, z]), ring([0, y, 0], [0, 0, z])];
  if (shape === 'cylinder' || shape === 'capsule') return [ring([x, 0, 0], [0, y, 0], [0, 0, z]), ring([x, 0, 0], [0, y, 0], [0, 0, -z])];
  if (shape === 'cone') return [ring([x, 0, 0], [0, y, 0]), [[-x, 0, 0], [0, 0, 2 * z], [x, 0, 0]]];
  const face = (h: number): Point[] => [[-x, h, -z], [x, h, -z], [x, h, z], [-x, h, z]];
  return [face(-y), face(y)];
}

export function figureOf(seen: Seen): Figure {
  const { drawing, chains, bodies } = seen;
  if (seen.coordinates.length) return namedFigure(seen.coordinates.map(({ name }) => name));
  const basis = basisOf(chains, drawing, bodies.length > 0);
  const planar = !!drawing.normal || (chains.length > 0 && chains.every(({ planar: one }) => one) && !bodies.length);
  // What is in space is seen a little from the side and from above.
  const flat = (p: Point): [number, number] => {
    const [right, up, eye] = [basis.right, basis.up, basis.eye].map((axis) => axis.x * p[0] + axis.y * p[1] + axis.z * p[2]) as Point;
    return planar ? [right, -up] : [right + 0.35 * eye, -(up - 0.25 * eye)];
  };
  const strokes: Stroke[] = [];
  const put = (kind: Stroke['kind'], points: Point[], radius = 0) => strokes.push({ kind, points: points.map(flat), radius });
  for (const body of drawing.bodies) {
    const shapes = body.shapes.length ? body.shapes : body.ellipsoid ? [{ shape: 'ellipsoid', size: body.ellipsoid, position: [0, 0, 0] as Point, orientation: [1, 0, 0, 0] as Turn }] : [];
    for (const shape of shapes) {
      for (const line of outlines(shape)) put('body', line.map((p) => added(body.position, turned(body.orientation, added(shape.position, turned(shape.orientation, p))))));
    }
    if (body.point) put('bob', [body.position], 0);
  }
  for (const { a, b, in_a, in_b, ties } of seen.joints) if (!ties) put('joint', [a < 0 ? in_a : b < 0 ? in_b : added(bodies[b]!.position, turned(bodies[b]!.orientation, in_b))]);
  chains.forEach((_, c) => {
    const ends = linkEnds(seen.scene as SceneDocument, c);
    const every = Math.max(1, Math.ceil(ends.length / 120));
    ends.forEach(({ from, to }) => put('link', [from, to]));
    if (every === 1) ends.forEach(({ to }) => put('bob', [to]));
  });
  return { strokes, box: boxOf(strokes) };
}

// A system given by formulas has no picture but the names of what it is of.
function namedFigure(names: string[]): Figure {
  return { strokes: [{ kind: 'text', points: [[0, 0]], radius: 0, text: names.slice(0, 4).map((name) => `${name}(t)`).join(' ') }], box: [-50, -30, 100, 60] };
}

function boxOf(strokes: Stroke[]): Figure['box'] {
  const all = strokes.flatMap(({ points }) => points).filter((point) => point.every(Number.isFinite));
  if (!all.length) return [-1, -1, 2, 2];
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const low = [Math.min(...xs), Math.min(...ys)] as const;
  const size = Math.max(Math.max(...xs) - low[0], (Math.max(...ys) - low[1]) * 1.5, 1e-6) * 1.16;
  const [middleX, middleY] = [(low[0] + Math.max(...xs)) / 2, (low[1] + Math.max(...ys)) / 2];
  return [middleX - size / 2, middleY - size / 3, size, (size * 2) / 3];
}
