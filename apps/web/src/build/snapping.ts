// Where a hand that draws means: at a point that is there, along a round angle, or on the grid.
import type { Point } from '../engine/protocol';
import { distance, front, inPlane, onPlane } from '../scene/space';

export interface Snapped {
  at: Point;
  to: 'point' | 'angle' | 'grid' | 'none';
}

const leastPixels = 13; // between two lines of the grid
const roundAngle = Math.PI / 12;

// 1, 2 or 5 of a power of ten, so that lines are that far apart.
export function gridStep(pixelsPerMetre: number): number {
  const least = leastPixels / pixelsPerMetre;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
}

const rounded = (value: number, step: number) => Number((Math.round(value / step) * step).toPrecision(12));

// Of a place on the plane. `from`: where what is drawn begins.
export function snap(raw: Point, from: Point | null, step: number, plane = front): Snapped {
  const [right, up] = inPlane(plane);
  const grid: Snapped = { at: onPlane(plane, rounded(raw[right], step), rounded(raw[up], step)), to: 'grid' };
  if (!from || Math.abs(from[plane.across] - plane.at) > 1e-9) return grid;
  const way = rounded(distance(from, raw), step);
  const angle = Math.round(Math.atan2(raw[up] - from[up], raw[right] - from[right]) / roundAngle) * roundAngle;
  const along: Snapped = { at: onPlane(plane, from[right] + way * Math.cos(angle), from[up] + way * Math.sin(angle)).map((c) => Number(c.toFixed(12))) as Point, to: 'angle' };
  return distance(along.at, raw) < distance(grid.at, raw) ? along : grid;
}
