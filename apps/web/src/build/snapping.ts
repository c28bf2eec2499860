// Where a hand that draws means: at a point that is there, along a round angle, or on the grid.
import type { Point } from '../engine/protocol';
import { distance } from '../scene/space';

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

// `from`: where what is drawn begins. `within`: metres in which a point draws the hand to itself.
export function snap(raw: Point, points: Point[], from: Point | null, within: number, step: number): Snapped {
  const nearest = points.reduce<Point | null>((best, point) => (distance(point, raw) < (best ? distance(best, raw) : within) ? point : best), null);
  if (nearest) return { at: nearest, to: 'point' };
  const grid: Snapped = { at: [rounded(raw[0], step), 0, rounded(raw[2], step)], to: 'grid' };
  if (!from) return grid;
  const way = rounded(distance(from, raw), step);
  const angle = Math.round(Math.atan2(raw[2] - from[2], raw[0] - from[0]) / roundAngle) * roundAngle;
  const along: Snapped = { at: [from[0] + way * Math.cos(angle), 0, from[2] + way * Math.sin(angle)].map((c) => Number(c.toFixed(12))) as Point, to: 'angle' };
  return distance(along.at, raw) < distance(grid.at, raw) ? along : grid;
}
