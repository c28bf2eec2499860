// Bodies of a scene document in space: where they are, how they are turned, points in their own frames.
import type { Json, Point, Turn } from '../engine/protocol';

export type Table = { [key: string]: Json };

export const isTable = (value: Json | undefined): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value);

// Twelve digits: what is drawn by hand has no more, and 0.1 + 0.2 is written 0.3.
export const tidy = (value: number) => Number(value.toPrecision(12)) + 0;
export const tidyPoint = (point: Point) => point.map((c) => tidy(Math.abs(c) < 1e-13 ? 0 : c)) as Point;

export const added = (a: Point, b: Point, times = 1) => a.map((c, i) => c + times * b[i]!) as Point;
export const distance = (a: Point, b: Point) => Math.hypot(...a.map((c, i) => c - b[i]!));
export const isSame = (a: Point, b: Point) => distance(a, b) < 1e-9;

export const pointFrom = (value: Json | undefined): Point | null => (Array.isArray(value) && value.length === 3 && value.every((c) => typeof c === 'number') ? (value as Point) : null);

const units: Record<string, number> = { deg: Math.PI / 180, pi: Math.PI, rad: 1, '': 1 };

// An angle as scenes write it: 0.5, "40 deg", "0.25 pi". Null: a formula.
export function angleFrom(value: Json | undefined): number | null {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const text = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(deg|pi|rad|)\s*$/i.exec(String(value));
  return text ? Number(text[1]) * units[text[2]!]! : null;
}

// Null: it is written in a way that is not read here.
export function turnFrom(value: Json | undefined): Turn | null {
  if (value === undefined) return [1, 0, 0, 0];
  if (Array.isArray(value)) return value.length === 4 && value.every((c) => typeof c === 'number') ? (value as Turn) : null;
  if (!isTable(value)) return null;
  const [axis, angle] = [pointFrom(value.axis), angleFrom(value.angle)];
  if (!axis || angle === null) return null;
  const size = Math.hypot(...axis) || 1;
  return [Math.cos(angle / 2), ...axis.map((c) => (c / size) * Math.sin(angle / 2))] as Turn;
}

export function turned([w, x, y, z]: Turn, [a, b, c]: Point): Point {
  const [tx, ty, tz] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx];
}

const back = ([w, x, y, z]: Turn): Turn => [w, -x, -y, -z];

export const placeOf = (body: Table): Point => pointFrom(body.position) ?? [0, 0, 0];
export const turnOf = (body: Table): Turn => turnFrom(body.orientation) ?? [1, 0, 0, 0];
export const inWorld = (body: Table | undefined, point: Point): Point => (body ? added(placeOf(body), turned(turnOf(body), point)) : point);
export const inFrame = (body: Table | undefined, point: Point): Point => (body ? turned(back(turnOf(body)), added(point, placeOf(body), -1)) : point);

// The turn that takes the x axis along a way.
export function turnAlong(way: Point): Turn {
  const size = Math.hypot(...way) || 1;
  const [x, y, z] = way.map((c) => c / size) as Point;
  const turn = x < -1 + 1e-12 ? [0, 0, 0, 1] : [1 + x, 0, -z, y];
  const norm = Math.hypot(...turn);
  return turn.map((c) => c / norm) as Turn;
}

// A plane to draw on, across one of the axes: from the front (y), from the side (x), from above (z).
export interface Plane {
  across: 0 | 1 | 2;
  at: number; // m along that axis
}

export const front: Plane = { across: 1, at: 0 };
export const inPlane = ({ across }: Plane): [0 | 1, 1 | 2] => [across === 0 ? 1 : 0, across === 2 ? 1 : 2]; // the axes to the right and up
export const onPlane = (plane: Plane, u: number, v: number): Point => {
  const [right, up] = inPlane(plane);
  const out: Point = [0, 0, 0];
  [out[right], out[up], out[plane.across]] = [u, v, plane.at];
  return out;
};
export const normalOf = ({ across }: Plane): Point => [0, 1, 2].map((axis) => Number(axis === across)) as Point;
