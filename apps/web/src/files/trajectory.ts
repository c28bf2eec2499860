// A recorded run, as `catena run` writes it: CSV or JSON. It is shown as it is; nothing is computed.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { ChainInfo } from '../engine/protocol';
import * as store from '../store';
import { t } from '../texts';

export interface Trajectory {
  name: string;
  times: Float64Array;
  chains: ChainInfo[];
  places: Float32Array[]; // one per row
}

export const trajectory = signal<Trajectory | null>(null);
export const shownRow = signal(0);

type Columns = Map<string, number[]>;

function columnsOfCsv(text: string): { columns: Columns; scene: string | undefined } {
  const lines = text.split(/\r?\n/);
  const scene = lines.find((line) => line.startsWith('# scene:'))?.slice('# scene:'.length);
  const [header, ...rows] = lines.filter((line) => line && !line.startsWith('#'));
  const names = header?.split(',') ?? [];
  const columns: Columns = new Map(names.map((name) => [name.trim(), []]));
  const lists = [...columns.values()];
  for (const row of rows) row.split(',').forEach((item, i) => lists[i]?.push(Number(item)));
  return { columns, scene };
}

function columnsOfJson(text: string): { columns: Columns; scene: string | undefined } {
  const data = JSON.parse(text) as { columns?: Record<string, (number | null)[]>; scene?: unknown };
  const entries = Object.entries(data.columns ?? {}).map(([name, list]) => [name, list.map((item) => item ?? NaN)] as [string, number[]]);
  return { columns: new Map(entries), scene: data.scene ? JSON.stringify(data.scene) : undefined };
}

export function isTrajectory(name: string, text: string): boolean {
  return /\.csv$/i.test(name) || (/\.json$/i.test(name) && /"columns"\s*:/.test(text));
}

// Links by their labels: x_1 .. of the only chain, x_<chain>_1 .. of several.
function chainNames(columns: Columns): Map<string, number> {
  const out = new Map<string, number>();
  for (const name of columns.keys()) {
    const match = /^x_(?:(.+)_)?(\d+)$/.exec(name);
    if (match) out.set(match[1] ?? '', Math.max(out.get(match[1] ?? '') ?? 0, Number(match[2])));
  }
  return out;
}

// The chains as the scene inside the file has them, or plain ones where there is none.
async function chainsOfRun(columns: Columns, scene: string | undefined): Promise<ChainInfo[]> {
  const doc = scene ? await actions.theLab().check(scene, t('trajectory.scene')) : null;
  const entries = doc ? ((doc.chains ?? (doc.chain ? [doc.chain] : [])) as Record<string, unknown>[]) : [];
  return [...chainNames(columns)].map(([name, count]) => {
    const chain = entries.find((one) => (one.name ?? '') === name) ?? entries[0];
    const links = ((chain?.links ?? []) as Record<string, unknown>[]).flatMap((link) => Array.from({ length: Number(link.repeat ?? 1) }, (_, i) => (i ? { ...link, parent: undefined } : link)));
    const pivot = Array.isArray(chain?.pivot) && chain.pivot.every((c) => typeof c === 'number') ? (chain.pivot as [number, number, number]) : ([0, 0, 0] as [number, number, number]);
    const at = (k: number) => ['x', 'y', 'z'].map((axis) => columns.get(name ? `${axis}_${name}_${k + 1}` : `${axis}_${k + 1}`)?.[0] ?? 0);
    const parent = Array.from({ length: count }, (_, k) => (typeof links[k]?.parent === 'number' ? (links[k]!.parent as number) - 1 : k - 1));
    const length = parent.map((up, k) => Math.max(1e-6, Math.hypot(...at(k).map((c, i) => c - (up < 0 ? pivot[i]! : at(up)[i]!)))));
    return { name, elastic: false, planar: false, azimuth: 0, moving: false, pivot, length, parent, mass: length.map((_, k) => Number(links[k]?.mass ?? 1)), stiffness: [] };
  });
}

export async function openTrajectory(name: string, text: string) {
  const { columns, scene } = /\.json$/i.test(name) ? columnsOfJson(text) : columnsOfCsv(text);
  const times = columns.get('t');
  const chains = await chainsOfRun(columns, scene);
  if (!times?.length || !chains.length || !columns.has(chains[0]!.name ? `z_${chains[0]!.name}_1` : 'z_1')) {
    store.notify('mistake', t('trajectory.none', { name }));
    return;
  }
  const lists = chains.flatMap((chain) => chain.length.flatMap((_, k) => ['x', 'y', 'z'].map((axis) => columns.get(chain.name ? `${axis}_${chain.name}_${k + 1}` : `${axis}_${k + 1}`) ?? [])));
  const places = times.map((_, row) => Float32Array.from(lists, (list) => list[row] ?? 0));
  await actions.theLab().stop();
  trajectory.value = { name, times: Float64Array.from(times), chains, places };
  shownRow.value = 0;
  actions.theView().trails.clear();
  actions.theView().setChains(chains, 0, true);
}

export function closeTrajectory() {
  trajectory.value = null;
  const description = store.description.value;
  actions.theView().trails.clear();
  if (description) actions.theView().setChains(description.chains, description.ghosts.length, true, description.bodies);
}

let clock = 0;
let last = 0;

// Draws the recorded run; plays it when running.
export function playFrame(now: number) {
  const { times, places, chains } = trajectory.value!;
  const elapsed = last ? Math.min(0.1, (now - last) / 1000) : 0;
  last = now;
  if (store.running.value) {
    clock = Math.max(clock, times[shownRow.value]!) + elapsed * store.speed.value;
    let row = shownRow.value;
    while (row + 1 < times.length && times[row + 1]! <= clock) row++;
    shownRow.value = row;
    if (row === times.length - 1) store.running.value = false;
  } else {
    clock = times[shownRow.value]!;
  }
  const view = actions.theView();
  const row = shownRow.value;
  const shown = places[row]!;
  view.trails.forgetAfter(times[row]!);
  view.links.forEach((link, bob) => view.trails.add(bob, times[row]!, shown[3 * link]!, shown[3 * link + 1]!, shown[3 * link + 2]!));
  view.draw({ places: shown, strains: null, ghosts: [], pivots: chains.map(({ pivot }) => pivot), bodies: [], t: times[row]! });
}
