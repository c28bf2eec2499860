// Maps over two numbers of a scene, computed by all workers, from coarse to fine while one watches. A click on a pixel starts that motion.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import { CaseStatus } from '../engine/chaos-protocol';
import type { Json, SceneDocument } from '../engine/protocol';
import { presets } from '../presets';
import { spelledOut } from '../scene/build';
import { chainsOf, copyOf } from '../scene/document';
import type { Table } from '../scene/space';
import * as store from '../store';
import { pool, reasonOf, whateverDies, type Lease } from './pool';

const files = import.meta.glob<string>('../../../../sweeps/{flip-map,magnetic-basins,ftle}.toml', { query: '?raw', import: 'default', eager: true });

export interface Plan {
  name: string;
  scene: string; // its text
  sweep: string;
}

// Plans that come with the program; and of the scene that is there, when its first two links turn over.
export const shippedPlans: Record<string, string> = Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace(/^.*\//, '').replace('.toml', ''), text]));

const flips = (seconds: number) => `[sweep]
set = ["simulation.duration=${seconds}", "simulation.tolerance=1e-12"]
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-180 deg"
to = "180 deg"
count = 256
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-180 deg"
to = "180 deg"
count = 256
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
stop = true
`;

// Whether the scene that is there has two links to turn.
export function hasLinks(): boolean {
  const { chain } = store.scene.value;
  return chain !== undefined && chainsOf(store.scene.value).length === 1 && spelledOut(chain as Table).length >= 2;
}

function spelled(doc: SceneDocument): SceneDocument {
  const out = copyOf(doc);
  if (out.chain) (out.chain as Table).links = spelledOut(out.chain as Table);
  return out;
}

export function planOf(name: string, seconds: number, count: number): Plan | null {
  const sized = (text: string) => text.replace(/count = \d+/g, `count = ${count}`).replace(/simulation\.duration=[\d.]+/, `simulation.duration=${seconds}`);
  if (!name) return hasLinks() ? { name: store.presetName.value, scene: JSON.stringify(spelled(store.scene.value)), sweep: sized(flips(seconds)) } : null;
  const text = shippedPlans[name];
  const scene = presets.find((one) => one.name === /^scene = "([^"]+)"/m.exec(text ?? '')?.[1]);
  return text && scene ? { name, scene: scene.text, sweep: sized(text) } : null;
}

export interface Picture {
  plan: Plan;
  shape: [number, number];
  axes: { name: string; values: number[] }[];
  measure: string;
  values: Float64Array; // [first axis][second axis]; nan: nothing happened
  known: Uint8Array; // how large a square each case stands for as yet; 0: it is not computed
  status: Uint8Array;
  done: number;
  low: number;
  high: number;
  mirrored: boolean; // each case and the one across the middle are the same motion, seen in a mirror: half of them are computed
  limits: { measure: string; energy: number; lines: [number, number, number, number][] }[]; // beyond them an event is impossible, in places of the grid
}

export const picture = signal<Picture | null>(null);
export const drawnTo = signal(0); // changes whenever more is known
export const refusal = signal('');
export const running = signal(false);
export const firstCoarse = signal<number | null>(null); // ms until the first whole picture
export const finished = signal<number | null>(null); // ms until all of it

interface Task {
  first: [number, number];
  count: [number, number];
  apart: number;
  stands: number; // for squares of this size
}

const coarsest = 16;
const atOnce = 192; // cases of a task

// What a plan sets of its scene: "path=value", where values may be lists.
export function setsOf(sweep: string): string[] {
  const begin = /^set\s*=\s*\[/m.exec(sweep);
  const out: string[] = [];
  for (let rest = begin ? sweep.slice(begin.index + begin[0].length) : ''; ; ) {
    const next = /^[\s,]*"([^"]*)"/.exec(rest);
    if (!next) return out;
    out.push(next[1]!);
    rest = rest.slice(next[0].length);
  }
}

// Whether the grid is the same seen from across its middle.
const isAboutZero = (values: number[]) => values.every((value, i) => value === -values[values.length - 1 - i]!);

// Links alone on a pivot that rests, and nothing that knows of a time or a side: what their mirror image does is as smooth as what they do.
const isPlain = (doc: SceneDocument) => Object.keys(doc).every((key) => ['simulation', 'chain'].includes(key)) && !/[a-z]/i.test(JSON.stringify((doc.chain as Table | undefined)?.pivot ?? []));

const probes = 8; // pairs of pairs

// Whether cases across the middle from each other end with the same bits: seen of pairs all over the grid, as they are computed.
async function isMirrored(lease: Lease, { plan, shape: [n, m], axes }: Picture): Promise<boolean> {
  const { answered } = await actions.theLab().tryOut({ do: 'check', text: plan.scene, source: 'scene.toml' });
  if (!answered || !isPlain(answered.answer.scene) || !setsOf(plan.sweep).every((word) => word.startsWith('simulation.'))) return false;
  if (!axes.every(({ values }) => isAboutZero(values)) || isSort({ plan })) return false;
  let told = 0;
  for (let k = 0; k < probes; k++) {
    const [i, j] = [Math.floor((n / 2) * ((k + 0.5) / probes)), Math.floor((m / 2) * ((((5 * k) % probes) + 0.3) / probes))];
    const apart = [n - 1 - 2 * i, m - 1 - 2 * j];
    if (apart.some((one) => one <= 0)) return false;
    const { rows } = await lease.ask({ do: 'tile', first: [i, j], count: [2, 2], apart });
    const width = rows.length / 4;
    const one = (at: number) => rows.subarray(at * width, (at + 1) * width);
    for (const [a, b] of [[0, 3], [1, 2]] as const) if (!one(a).every((value, at) => Object.is(value, one(b)[at]))) return false;
    told += [0, 1].filter((at) => Number.isFinite(one(at)[0])).length;
  }
  return told >= 3;
}

// Cases from coarse to fine: each grid has those that the one before left out.
export function tasksOf([n, m]: [number, number], coarse = coarsest): Task[] {
  const out: Task[] = [];
  const add = (i: number, j: number, apart: number, stands: number) => {
    const [rows, columns] = [Math.ceil((n - i) / apart), Math.ceil((m - j) / apart)];
    if (rows <= 0 || columns <= 0) return;
    const each = Math.max(1, Math.floor(atOnce / columns));
    for (let row = 0; row < rows; row += each) out.push({ first: [i + row * apart, j], count: [Math.min(each, rows - row), columns], apart, stands });
  };
  add(0, 0, coarse, coarse);
  for (let apart = coarse; apart > 1; apart /= 2) {
    const half = apart / 2;
    for (const [i, j] of [[half, 0], [0, half], [half, half]] as const) add(i, j, apart, half);
  }
  return out;
}

const between = 200; // ms from one picture to the next: drawing takes time from computing
let drawnLast = 0;

function show(whateverIsNew = false) {
  const now = performance.now();
  if (!whateverIsNew && now - drawnLast < between) return;
  drawnLast = now;
  drawnTo.value++;
}

let turn = 0;

export function stop() {
  turn++;
  show(true);
  running.value = false;
}

// How many along each axis are computed, the others being their mirror images.
const computedOf = ({ shape: [n, m], mirrored }: Picture): [number, number] => [mirrored ? Math.ceil(n / 2) : n, m];

function take(into: Picture, task: Task, rows: Float64Array, width: number) {
  const [n, m] = into.shape;
  let row = 0;
  for (let i = 0; i < task.count[0]; i++) {
    for (let j = 0; j < task.count[1]; j++, row++) {
      const at = (task.first[0] + i * task.apart) * m + task.first[1] + j * task.apart;
      const value = rows[row * width]!;
      for (const place of into.mirrored ? [at, n * m - 1 - at] : [at]) {
        if (!into.known[place]) into.done++;
        into.values[place] = value;
        into.status[place] = rows[row * width + width - 1]!;
        into.known[place] = task.stands;
      }
      if (into.status[at] !== CaseStatus.done || !Number.isFinite(value)) continue;
      into.low = Math.min(into.low, value);
      into.high = Math.max(into.high, value);
    }
  }
}

// Each worker takes the next task when it has done one. A new map ends the one before. `whole`: every case, also those that are the
// mirror image of another.
export async function compute(plan: Plan, { whole = false } = {}) {
  const mine = ++turn;
  refusal.value = '';
  running.value = true;
  firstCoarse.value = finished.value = null;
  const began = performance.now();
  try {
    const workers = await pool();
    const tell = (lease: Lease) => lease.ask({ do: 'map', text: plan.scene, sweep: plan.sweep });
    const leases = workers.map((worker) => worker.lease());
    const asked = await Promise.all(leases.map(tell));
    if (mine !== turn) return;
    const { shape, axes, measures } = asked[0]!.answer;
    const cases = shape[0]! * shape[1]!;
    const into: Picture = { plan, shape: shape as [number, number], axes, measure: measures[0]!, values: new Float64Array(cases).fill(NaN), known: new Uint8Array(cases), status: new Uint8Array(cases), done: 0, low: Infinity, high: -Infinity, mirrored: false, limits: [] };
    into.mirrored = !whole && (await isMirrored(leases[0]!, into));
    if (mine !== turn) return;
    picture.value = into;
    const tasks = tasksOf(computedOf(into));
    let coarseLeft = tasks.filter(({ stands }) => stands === coarsest).length;
    const work = async (i: number, least: number) => {
      while (tasks.length && tasks[0]!.stands >= least && mine === turn) {
        const task = tasks.shift()!;
        await whateverDies(async (again) => {
          if (again) await tell((leases[i] = workers[i]!.lease()));
          const { answer, rows } = await leases[i]!.ask({ do: 'tile', first: task.first, count: task.count, apart: [task.apart, task.apart] });
          if (mine === turn) take(into, task, rows, answer.width);
        });
        if (mine !== turn) return;
        const isCoarse = task.stands === coarsest && --coarseLeft === 0;
        show(isCoarse);
        if (isCoarse) firstCoarse.value = performance.now() - began;
      }
    };
    // The lines come behind the first picture, from whoever is ready.
    const draw = (i: number) => whateverDies(async (again) => {
      if (again) await tell((leases[i] = workers[i]!.lease()));
      const { answer, rows } = await leases[i]!.ask({ do: 'limits' });
      const all = Array.from({ length: rows.length / answer.width }, (_, k) => Array.from(rows.subarray(k * answer.width, (k + 1) * answer.width)));
      into.limits = answer.limits.map((limit, k) => ({ ...limit, lines: all.filter(([of]) => of === k).map((line) => line.slice(1) as [number, number, number, number]) }));
      show(true);
    });
    await Promise.all(leases.map(async (_, i) => {
      await work(i, coarsest);
      if (i === 0 && mine === turn) await draw(i);
      await work(i, 0);
    }));
    if (mine !== turn) return;
    show(true);
    finished.value = performance.now() - began;
  } catch (error) {
    if (mine !== turn) return;
    refusal.value = reasonOf(error);
    turn++; // the others stop, too
    running.value = false;
  }
  if (mine === turn) running.value = false;
}

// ---- colours ---------------------------------------------------------------------------------------------------

const ramp = [[13, 8, 135], [126, 3, 168], [204, 71, 120], [248, 149, 64], [240, 249, 33]]; // plasma
const sorts = [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [213, 94, 0], [240, 228, 66]];

// Of measures that say which of some things it is, not how much.
const isSort = ({ plan }: Pick<Picture, 'plan'>) => /^\s*nearest\s*=/m.test(plan.sweep);

export const sortsOf = (of: Picture): number[] | null => (isSort(of) ? [...new Set(Array.from(of.values).filter((value, at) => of.known[at] && Number.isFinite(value)))].sort((a, b) => a - b) : null);

export function colorFor(of: Picture, value: number): [number, number, number] {
  if (isSort(of)) return sorts[Math.round(value) % sorts.length] as [number, number, number];
  const part = of.high > of.low ? (ramp.length - 1) * Math.min(1, Math.max(0, (value - of.low) / (of.high - of.low))) : 0;
  const [k, s] = [Math.min(ramp.length - 2, Math.floor(part)), part - Math.min(ramp.length - 2, Math.floor(part))];
  return ramp[k]!.map((c, i) => Math.round(c + s * (ramp[k + 1]![i]! - c))) as [number, number, number];
}

export function colorOf(of: Picture, at: number): [number, number, number, number] {
  const [value, status] = [of.values[at]!, of.status[at]];
  if (status !== CaseStatus.done || !Number.isFinite(value)) return [255, 255, 255, status === CaseStatus.failed ? 0 : 255];
  return [...colorFor(of, value), 255];
}

// The first axis to the right, the second up; each case as large as it stands for, fine ones over coarse ones.
export function paint(of: Picture, canvas: HTMLCanvasElement) {
  const [n, m] = of.shape;
  if (canvas.width !== n || canvas.height !== m) [canvas.width, canvas.height] = [n, m];
  const pen = canvas.getContext('2d')!;
  const image = pen.createImageData(n, m);
  const pixels = new Uint32Array(image.data.buffer);
  const size = new Uint8Array(n * m).fill(255); // of what is painted there
  const color = new Uint8ClampedArray(4);
  const packed = new Uint32Array(color.buffer);
  const [rows] = computedOf(of);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < m; j++) {
      const known = of.known[i * m + j]!;
      if (!known) continue;
      color.set(colorOf(of, i * m + j));
      for (let x = i; x < Math.min(rows, i + known); x++) {
        for (let y = j; y < Math.min(m, j + known); y++) {
          const at = (m - 1 - y) * n + x;
          if (size[at]! < known) continue;
          size[at] = known;
          pixels[at] = packed[0]!;
          if (of.mirrored) pixels[n * m - 1 - at] = packed[0]!;
        }
      }
    }
  }
  pen.putImageData(image, 0, 0);
}

// ---- that motion -----------------------------------------------------------------------------------------------

// A number, list or word at a path as sweeps name them: items of lists count from 1, "default" is as if nothing was said.
export function setPath(doc: SceneDocument, path: string, value: Json) {
  const parts = path.split('.');
  let at = doc as unknown as Table | Json[];
  parts.forEach((part, i) => {
    const key = Array.isArray(at) ? Number(part) - 1 : part;
    const last = i === parts.length - 1;
    const owner = at as Record<string | number, Json>;
    if (!last) at = (owner[key] ??= {}) as Table | Json[];
    else if (value === 'default') delete owner[key];
    else owner[key] = value;
  });
}

const valueFrom = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

// The scene of a case: what the plan sets, and its numbers.
export async function startCase(of: Picture, i: number, j: number): Promise<boolean> {
  const lab = actions.theLab();
  const seen = await lab.check(of.plan.scene, of.plan.name);
  if (!seen) return false;
  const doc = spelled(seen.scene);
  for (const word of setsOf(of.plan.sweep)) {
    const [path, ...value] = word.split('=');
    if (path !== 'simulation.duration') setPath(doc, path!, valueFrom(value.join('=')));
  }
  const keys = [...of.plan.sweep.matchAll(/^key = "([^"]+)"/gm)].map((match) => match[1]!);
  [i, j].forEach((at, axis) => setPath(doc, keys[axis]!, of.axes[axis]!.values[at]!));
  await lab.stop();
  if (!(await lab.load(JSON.stringify(doc), of.plan.name))) return false;
  actions.lookAtScene();
  lab.run();
  return true;
}
