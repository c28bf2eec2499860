// Error against cost: one scene by several methods, each run from its start to one instant by an engine of its own, and compared with
// the most accurate of them there.
import { signal } from '@preact/signals';
import { EngineClient } from '../engine/client';
import { Mistakes } from '../engine/mistakes';
import type { SceneDocument } from '../engine/protocol';
import { readCsv } from '../files/runs/text';
import { simulationOf } from '../scene/document';
import * as store from '../store';
import { anotherEngine, settingOf, withMethod, type Wish } from './twin';

export type Case = Pick<Wish, 'method' | 'tolerance' | 'step'>;

export interface Measured {
  method: string;
  setting: string;
  error: number | null; // of the farthest place, or of the largest state
  energy: number | null; // relative
  steps: number;
  evaluations: number;
  milliseconds: number;
  refusal: string;
}

export const rows = signal<Measured[]>([]);
export const measuring = signal(false);
export const of = signal<SceneDocument | null>(null); // they belong to this scene
export const refusal = signal('');

// The reference, then what others choose.
export const reference: Case = { method: 'taylor', tolerance: 1e-16 };
export const usualCases: Case[] = [
  { method: 'taylor', tolerance: 1e-12 },
  { method: 'taylor', tolerance: 1e-6 },
  { method: 'dop853', tolerance: 1e-12 },
  { method: 'dop853', tolerance: 1e-6 },
  { method: 'dopri5', tolerance: 1e-9 },
  { method: 'dopri5', tolerance: 1e-4 },
  { method: 'rk4', step: 0.002 },
  { method: 'rk4', step: 0.02 },
  { method: 'euler', step: 0.002 },
];

// How a scene ends by a method.
async function endOf(client: EngineClient, doc: SceneDocument, one: Case, seconds: number): Promise<Measured & { end: Map<string, number> }> {
  const asked = withMethod(doc, one);
  Object.assign(simulationOf(asked), { duration: seconds, sample: seconds });
  delete asked.events; // some end runs
  const empty = { method: one.method, setting: settingOf(one), error: null, energy: null, steps: 0, evaluations: 0, milliseconds: 0, refusal: '', end: new Map<string, number>() };
  try {
    await client.call({ do: 'load', text: JSON.stringify(asked), name: 'compared' });
    const byFormulas = Boolean(doc.lagrangian ?? doc.equations);
    const { answer } = await client.call({ do: 'record', quantities: [byFormulas ? 'state' : 'position'] });
    const summary = answer.summary as unknown as { outcome: string; message?: string; steps: number; evaluations: number; step_seconds: number; energy_error_relative: number | null };
    const { columns } = readCsv(answer.csv, '');
    const end = new Map([...columns].filter(([name]) => name !== 't').map(([name, values]) => [name, values[values.length - 1]!]));
    const refusal = summary.outcome === 'done' ? '' : (summary.message ?? summary.outcome);
    return { ...empty, energy: summary.energy_error_relative, steps: summary.steps, evaluations: summary.evaluations, milliseconds: 1000 * summary.step_seconds, refusal, end };
  } catch (error) {
    return { ...empty, refusal: error instanceof Mistakes ? error.mistakes.join('\n') : String(error) };
  }
}

// How far two ends are from each other: places by their distance, states each for itself.
export function distanceOf(a: Map<string, number>, b: Map<string, number>): number | null {
  const squares = new Map<string, number>();
  for (const [name, value] of a) {
    const place = /^[xyz]_(.+)$/.exec(name)?.[1] ?? name;
    squares.set(place, (squares.get(place) ?? 0) + (value - (b.get(name) ?? NaN)) ** 2);
  }
  const largest = Math.sqrt(Math.max(0, ...squares.values()));
  return squares.size && Number.isFinite(largest) ? largest : null;
}

let engine: Promise<EngineClient> | null = null;
let turn = 0;

// Row by row, as they come; a new one ends the one before.
export async function measure(seconds: number, cases: Case[] = usualCases) {
  const mine = ++turn;
  const doc = store.scene.value;
  rows.value = [];
  of.value = doc;
  refusal.value = '';
  measuring.value = true;
  try {
    await measureAll(doc, seconds, cases, () => mine === turn);
  } catch (error) {
    engine = null; // it may be there another time
    if (mine === turn) refusal.value = String(error);
  }
  if (mine === turn) measuring.value = false;
}

async function measureAll(doc: SceneDocument, seconds: number, cases: Case[], goesOn: () => boolean) {
  const known = (name: string) => store.info.value?.methods.some((method) => method.name === name);
  const client = await (engine ??= anotherEngine());
  const best = await endOf(client, doc, reference, seconds);
  for (const one of cases) {
    if (!goesOn()) return;
    if (!known(one.method)) continue;
    const { end, ...measured } = await endOf(client, doc, one, seconds);
    if (!goesOn()) return;
    const error = measured.refusal || best.refusal ? null : distanceOf(end, best.end);
    rows.value = [...rows.value, { ...measured, error, refusal: measured.refusal || best.refusal }].sort((a, b) => a.milliseconds - b.milliseconds);
  }
}
