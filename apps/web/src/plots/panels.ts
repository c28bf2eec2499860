// Which plots there are, and what each of them shows.
import { signal } from '@preact/signals';
import { trajectory } from '../files/trajectory';
import { timeScale } from '../rows';
import * as store from '../store';
import { allColumns, columnsOfPart, isAngle, learnColumns, stems } from './columns';

// What fills a plot by itself, whatever scene is shown; `columns`: those that were chosen.
const whats = ['angles', 'error', 'divergence', 'phase', 'adjacent', 'columns'] as const;
const kinds = ['value', 'rate', 'spectrum'] as const;
export type What = (typeof whats)[number];
export type Kind = (typeof kinds)[number];

export interface Panel {
  id: number;
  what: What;
  x: string; // of chosen columns: 't' or a column
  y: string[];
  kind: Kind;
  log: boolean;
  // What is looked at, in the plot's own units; null: the last seconds, and all values.
  xRange: [number, number] | null;
  yRange: [number, number] | null;
}

export const mostPanels = 6;
export const mostColumns = 12;

let last = 0;
const panel = (what: What): Panel => ({ id: ++last, what, x: 't', y: [], kind: 'value', log: what === 'divergence', xRange: null, yRange: null });

export const panels = signal<Panel[]>([panel('angles'), panel('phase'), panel('adjacent')]);
export const openSettings = signal<number | null>(null); // of which panel
export const wanted = signal<number | null>(null); // the panel that is to come into sight

export function change(id: number, values: Partial<Panel>) {
  panels.value = panels.value.map((one) => (one.id === id ? { ...one, ...values } : one));
}

// A plot as links and reloads keep it.
export type PanelWish = Omit<Panel, 'id'>;

export function wishOf({ id: _, ...wish }: Panel): PanelWish {
  return wish;
}

const isRange = (value: unknown): value is [number, number] => Array.isArray(value) && value.length === 2 && value.every(Number.isFinite) && value[0] < value[1];

// Plots that were kept: of whatever is written there, what a plot can be.
export function takenPanels(wishes: unknown[]): Panel[] {
  const taken = wishes.slice(0, mostPanels).map((wish) => {
    const { what, x, y, kind, log, xRange, yRange } = (wish ?? {}) as Partial<PanelWish>;
    return {
      ...panel(whats.find((one) => one === what) ?? 'columns'),
      x: typeof x === 'string' ? x : 't',
      y: Array.isArray(y) ? y.filter((name) => typeof name === 'string').slice(0, mostColumns) : [],
      kind: kinds.find((one) => one === kind) ?? 'value',
      log: log === true,
      xRange: isRange(xRange) ? xRange : null,
      yRange: isRange(yRange) ? yRange : null,
    };
  });
  return taken.length ? taken : panels.value;
}

export function remove(id: number) {
  panels.value = panels.value.filter((one) => one.id !== id);
  openSettings.value = null;
}

export function add(values: Partial<Panel> = {}): number {
  const made = { ...panel('columns'), ...values };
  panels.value = [...panels.value, made];
  return made.id;
}

// What is plotted of a part that is clicked: where it is.
export async function showPart(part: number) {
  if (!trajectory.value && !stems.value.length) await learnColumns();
  const own = columnsOfPart(part);
  const y = ['x', 'y', 'z'].flatMap((stem) => own.filter((name) => name.startsWith(`${stem}_`)).slice(0, 1));
  await showColumns(y);
}

// These against time, in the plot that shows chosen columns.
export async function showColumns(y: string[]) {
  if (!y.length) return;
  const before = panels.value.find((one) => one.what === 'columns');
  if (before) change(before.id, { x: 't', y, xRange: null, yRange: null, kind: 'value' });
  wanted.value = before ? before.id : add({ y });
}

export const shownSeconds = () => (trajectory.value ? Infinity : 40 * timeScale);

// The first ones and the last one of long chains; joints and coordinates of scenes without chains.
export function mainColumns(): { place: string; rate: string }[] {
  const shown = trajectory.value ?? store.description.value;
  if (!shown) return [];
  const links = shown.chains.flatMap((chain) => {
    const n = chain.length.length;
    const own = n <= 10 ? [...Array(n).keys()] : [...Array(9).keys(), n - 1];
    return own.map((k) => (chain.name ? `${chain.name}_${k + 1}` : String(k + 1))).map((label) => ({ place: `theta_${label}`, rate: `theta_dot_${label}` }));
  });
  if (links.length) return links.slice(0, 20);
  if (shown.first_order) return states(shown.coordinates.map(({ name }) => name));
  if (shown.coordinates.length) return shown.coordinates.slice(0, 20).map(({ name }) => ({ place: name, rate: `${name}_dot` }));
  const joints = [...allColumns().values()].filter(({ stem, label }) => label && ['angle', 'travel'].includes(stem)).map(({ name }) => ({ place: name, rate: `${name}_dot` }));
  return joints.length ? joints.slice(0, 20) : turning(shown.bodies.filter(({ fixed }) => !fixed).slice(0, 3).map(({ name }) => name));
}

// States of equations, each against the next.
function states(names: string[]): { place: string; rate: string }[] {
  return names.slice(0, 20).map((place, i) => ({ place, rate: names[(i + 1) % names.length]! }));
}

// What is to stay as it is: energy, or the invariants that equations have.
export function keptColumns(): string[] {
  const shown = trajectory.value ?? store.description.value;
  return shown?.first_order ? shown.invariants.map((name) => `${name}_error`) : ['energy_error'];
}

// Bodies without a coordinate of a joint: how they turn, one component against the next.
function turning(bodies: string[]): { place: string; rate: string }[] {
  const pairs = bodies.flatMap((body) => [0, 1, 2].map((i) => ({ place: `w${'xyz'[i]}_${body}`, rate: `w${'yzx'[i]}_${body}` })));
  return pairs.filter(({ place }) => allColumns().has(place));
}

// What the first plots are about.
export function mainKind(): 'angles' | 'joints' | 'turning' | 'states' {
  const shown = trajectory.value ?? store.description.value;
  if (!shown || shown.chains.length) return 'angles';
  if (shown.first_order) return 'states';
  return /^w[xyz]_/.test(mainColumns()[0]?.place ?? '') ? 'turning' : 'joints';
}

// Where these bodies go, seen from the front and from above.
function ways(main: { place: string }[]): Curve[] {
  const bodies = [...new Set(main.map(({ place }) => place.slice(3)))];
  return bodies.flatMap((body) => ['y', 'z'].map((axis) => ({ x: `x_${body}`, y: `${axis}_${body}` })));
}

// Curves as pairs of columns.
export interface Curve {
  x: string;
  y: string;
}

export function curvesOf({ what, x, y }: Panel): Curve[] {
  const main = mainColumns();
  switch (what) {
    case 'angles':
      return main.map(({ place }) => ({ x: 't', y: place }));
    case 'error':
      return keptColumns().map((y) => ({ x: 't', y }));
    case 'divergence':
      return store.ghosts.value.length ? store.ghosts.value.map((_, i) => ({ x: 't', y: `divergence${i + 1}` })) : main.map(({ place }) => ({ x: 't', y: place }));
    case 'phase':
      // Of states the first portrait is of the first two, the second one of all others that stand side by side.
      return (mainKind() === 'states' ? main.slice(0, 1) : main).map(({ place, rate }) => ({ x: place, y: rate }));
    case 'adjacent':
      if (mainKind() === 'turning') return ways(main);
      if (mainKind() === 'states') return main.slice(main.length > 2 ? 1 : 0, main.length > 2 ? 3 : 1).map(({ place, rate }) => ({ x: place, y: rate }));
      // A single one has no neighbour: its own phase portrait stands in.
      return main.length < 2 ? main.map(({ place, rate }) => ({ x: place, y: rate })) : main.slice(1).map(({ place }, i) => ({ x: main[i]!.place, y: place }));
    case 'columns':
      return y.map((name) => ({ x, y: name }));
  }
}

export function columnsOf(panel: Panel): string[] {
  return [...new Set(curvesOf(panel).flatMap(({ x, y }) => (x === 't' ? [y] : [x, y])))];
}

// Portraits show angles within one turn.
export const isPortrait = (panel: Panel) => panel.kind !== 'spectrum' && curvesOf(panel).some(({ x }) => x !== 't');
export const wraps = (panel: Panel, name: string) => isPortrait(panel) && panel.kind === 'value' && isAngle(name);
