// Where plotted values come from: the engine's history, or the recorded run that is shown. Never what happened to be drawn.
import * as actions from '../actions';
import { shownRow, trajectory, type Trajectory } from '../files/trajectory';
import { ticksPerSecond } from '../rows';
import * as store from '../store';
import { derivedOf } from './columns';

// Values over a stretch of time; NaN where there are none.
export interface Values {
  times: Float64Array; // s
  columns: Float64Array[];
  step: number; // s between rows that are all there; several values may stand in one step (`envelope`)
  coarse: boolean; // there are more rows between them
  complete: boolean; // the engine has told all that it will
}

export interface Wish {
  columns: string[];
  from: number; // s
  to: number;
  points: number;
  envelope: boolean; // lowest and highest value of each step; else one instant per step
}

// The whole time there is something of, and where it is now.
export function timeline(): { begin: number; end: number; now: number } {
  const recorded = trajectory.value;
  if (recorded) return { begin: recorded.times[0]!, end: recorded.times[recorded.times.length - 1]!, now: recorded.times[shownRow.value]! };
  const { begin, end, tick } = store.standing.value;
  return { begin: begin / ticksPerSecond, end: end / ticksPerSecond, now: Math.min(tick, actions.theLab().shownTick) / ticksPerSecond };
}

// All that the engine is to keep the values of.
export function needsOf(columns: string[]): string[] {
  return [...new Set(columns.flatMap((name) => derivedOf(name).needs))];
}

export async function read(wish: Wish): Promise<Values | null> {
  const recorded = trajectory.value;
  if (recorded) return readRecorded(recorded, wish);
  const derived = wish.columns.map(derivedOf);
  const needs = [...new Set(derived.flatMap((one) => one.needs))];
  const plain = derived.every((one, i) => one.needs.length === 1 && one.needs[0] === wish.columns[i]);
  const answered = await actions.theLab().past.plot({ columns: needs, first: Math.floor(wish.from * ticksPerSecond), last: Math.ceil(wish.to * ticksPerSecond), points: wish.points, envelope: wish.envelope && plain });
  if (!answered) return null;
  const { rows, width, stride, complete } = answered;
  const count = width ? rows.length / width : 0;
  const values = needs.map((_, i) => Float64Array.from({ length: count }, (_row, row) => rows[row * width + i + 1]!));
  return {
    times: Float64Array.from({ length: count }, (_, row) => rows[row * width]! / ticksPerSecond),
    columns: derived.map(({ needs: own, value }, i) => {
      if (plain) return values[i]!;
      const from = own.map((name) => values[needs.indexOf(name)]!);
      return Float64Array.from({ length: count }, (_, row) => value(from.map((list) => list[row]!)));
    }),
    step: stride / ticksPerSecond,
    coarse: stride > 1,
    complete,
  };
}

// The first row at or after a time.
function rowAt(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Rows of a recorded run: one of each stride, or (`envelope`) the lowest and highest of each column, in their order.
function readRecorded({ times, layout, rows }: Trajectory, wish: Wish): Values {
  const [first, last] = [rowAt(times, wish.from), Math.min(times.length - 1, rowAt(times, wish.to))];
  const stride = Math.max(1, Math.ceil((last - first) / wish.points));
  const at = wish.columns.map((name) => layout.at(name));
  const valueAt = (place: number, row: number) => (place < 0 ? NaN : rows[row]![place]!);
  const chosen: number[] = [];
  for (let i = first; i <= last; i++) if ((i - first) % stride === 0 || i === last) chosen.push(i);
  const told = { step: chosen.length > 1 ? (times[last]! - times[first]!) / (chosen.length - 1) : 1, coarse: stride > 1, complete: true };
  if (!wish.envelope || stride < 3) return { times: Float64Array.from(chosen, (i) => times[i]!), columns: at.map((place) => Float64Array.from(chosen, (i) => valueAt(place, i))), ...told };
  const pairs = chosen.map((from, k) => ({ from, to: chosen[k + 1] ?? last + 1 }));
  return {
    times: Float64Array.from(pairs.flatMap(({ from, to }) => [times[from]!, times[to - 1]!])),
    columns: at.map((place) => Float64Array.from(pairs.flatMap(({ from, to }) => extremes((row) => valueAt(place, row), from, to)))),
    ...told,
  };
}

// The lowest and the highest of the values [from, to), in their order.
function extremes(value: (row: number) => number, from: number, to: number): [number, number] {
  let [low, high] = [from, from];
  for (let row = from; row < to; row++) {
    if (Number.isNaN(value(row))) continue;
    if (!(value(low) <= value(row))) low = row;
    if (!(value(high) >= value(row))) high = row;
  }
  return low < high ? [value(low), value(high)] : [value(high), value(low)];
}
