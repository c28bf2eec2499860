// Instruments: they look at what the engine knows of the motion, and leave it as it is.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { Point } from '../engine/protocol';
import { mainColumns } from '../plots/panels';
import { ticksPerSecond } from '../rows';
import * as store from '../store';
import { crossingsOf, swingOf, type Crossing, type Swing } from './crossings';

export const stopwatch = signal<{ from: number; to: number | null } | null>(null); // times of the motion, s
export const ruler = signal<[Point, Point] | null>(null);
export const protractor = signal<[Point, Point, Point] | null>(null); // from, about, to
export const gate = signal<{ column: string; level: number } | null>(null);
export const watched = signal(''); // the column that the meters are of; '': the first
export const swing = signal<Swing | null>(null);
export const passed = signal<Crossing[]>([]);

export const planets: { name: string; g: number }[] = [
  { name: 'moon', g: 1.62 },
  { name: 'mercury', g: 3.7 },
  { name: 'mars', g: 3.72 },
  { name: 'uranus', g: 8.69 },
  { name: 'venus', g: 8.87 },
  { name: 'earth', g: 9.81 },
  { name: 'saturn', g: 10.44 },
  { name: 'neptune', g: 11.15 },
  { name: 'jupiter', g: 24.79 },
];

// Columns with a rate of their own: coordinates of the motion and places.
export function measurable(): { value: string; rate: string }[] {
  const { layout } = actions.theLab();
  const names = new Set(layout.names());
  const main = mainColumns().map(({ place, rate }) => ({ value: place, rate }));
  const places = [...names].filter((name) => /^[xz]_/.test(name)).slice(0, 40).map((name) => ({ value: name, rate: `v${name}` }));
  return [...main, ...places].filter(({ value, rate }) => names.has(value) && names.has(rate));
}

export const column = () => measurable().find(({ value }) => value === watched.value) ?? measurable()[0];

const mostSeconds = 30;
const mostNumbers = 3e6;

// A stretch of the past in two columns, as far back as is worth while.
async function rowsOf(names: string[]): Promise<{ times: Float64Array; columns: Float64Array[] } | null> {
  const lab = actions.theLab();
  const { layout } = lab;
  const { tick, begin } = store.standing.value;
  const ticks = Math.min(mostSeconds * ticksPerSecond, Math.floor(mostNumbers / Math.max(1, layout.width)));
  const first = Math.max(begin, tick - ticks);
  if (tick - first < 2) return null;
  const { answered } = await lab.tryOut({ do: 'table', first, last: tick });
  if (!answered || layout !== lab.layout) return null;
  const { width } = answered.answer;
  const rows = tick - first + 1;
  return {
    times: Float64Array.from({ length: rows }, (_, i) => (first + i) / ticksPerSecond),
    columns: names.map((name) => Float64Array.from({ length: rows }, (_, i) => answered.row[i * width + layout.at(name)]!)),
  };
}

let asking = false;

// Whoever looks at the meters asks for them, now and then.
export async function readMeters() {
  const own = column();
  if (asking || !own || !store.description.value) return;
  asking = true;
  try {
    const rows = await rowsOf([own.value, own.rate]);
    swing.value = rows && swingOf(rows.times, rows.columns[0]!, rows.columns[1]!);
    const through = gate.value && measurable().find(({ value }) => value === gate.value!.column);
    const seen = through && (through.value === own.value ? rows : await rowsOf([through.value, through.rate]));
    passed.value = seen ? crossingsOf(seen.times, seen.columns[0]!, seen.columns[1]!, gate.value!.level) : [];
  } finally {
    asking = false;
  }
}

export function toggleStopwatch() {
  const now = store.live.value.t;
  const running = stopwatch.value && stopwatch.value.to === null;
  stopwatch.value = running ? { from: stopwatch.value!.from, to: now } : { from: now, to: null };
}

// The gate as an event of the scene: `catena run` then writes a table of it.
export const writeGate = () => {
  const { column: name, level } = gate.value!;
  return actions.theLab().edit((doc) => {
    const events = ((doc.events ?? []) as { name?: string }[]).filter((event) => event.name !== 'photogate');
    doc.events = [...events, { name: 'photogate', when: level ? `${name} - (${level})` : name, direction: 'any' }] as never;
  });
};
