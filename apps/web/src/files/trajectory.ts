// A recorded run on the stage: it is shown as it is; nothing is computed.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { BodyInfo, ChainInfo, CoordinateInfo, Drawing, JointInfo, Stem } from '../engine/protocol';
import { Layout, pivotOf, placeColumns, pointPose, posesBetween, positionsBetween, solidsOf } from '../rows';
import * as store from '../store';
import { t } from '../texts';
import type { RecordedRun } from './runs';

export interface Trajectory {
  name: string;
  times: Float64Array;
  chains: ChainInfo[];
  bodies: BodyInfo[];
  joints: JointInfo[];
  coordinates: CoordinateInfo[];
  first_order: boolean;
  invariants: string[];
  drawing: Drawing | undefined; // none where the run has no scene
  layout: Layout;
  rows: Float64Array[];
}

export const trajectory = signal<Trajectory | null>(null);
export const shownRow = signal(0);

const mostLinks = 10_000; // as scenes may have
const mostNumbers = 40e6; // of all rows, gaps between recorded links included

type Things = Pick<Trajectory, 'chains' | 'bodies' | 'joints' | 'coordinates' | 'first_order' | 'invariants' | 'drawing'>;

// Links by their labels: x_1 .. of the only chain, x_<chain>_1 .. of several.
function plainChains({ columns }: RecordedRun): ChainInfo[] {
  const counts = new Map<string, number>();
  for (const column of columns.keys()) {
    const match = /^x_(?:(.+)_)?(\d+)$/.exec(column);
    if (match) counts.set(match[1] ?? '', Math.max(counts.get(match[1] ?? '') ?? 0, Number(match[2])));
  }
  const links = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (links > mostLinks) throw new Error(t('trajectory.links', { links, most: mostLinks }));
  return [...counts].map(([name, count]) => {
    const at = (k: number) => ['x', 'y', 'z'].map((axis) => (k < 0 ? 0 : (columns.get(name ? `${axis}_${name}_${k + 1}` : `${axis}_${k + 1}`)?.[0] ?? 0)));
    const each = <T>(value: (k: number) => T) => Array.from({ length: count }, (_, k) => value(k));
    const length = each((k) => Math.max(1e-6, Math.hypot(...at(k).map((c, i) => c - at(k - 1)[i]!))));
    return { name, elastic: false, planar: false, azimuth: 0, moving: false, pivot: [0, 0, 0], length, mass: each(() => 1), parent: each((k) => k - 1), stiffness: [] };
  });
}

// What the scene inside the file says there is, or plain chains where there is none.
async function thingsOf(run: RecordedRun): Promise<Things> {
  const seen = run.scene ? await actions.theLab().check(run.scene, t('trajectory.scene')) : null;
  return seen ?? { chains: plainChains(run), bodies: [], joints: [], coordinates: [], first_order: false, invariants: [], drawing: undefined };
}

// All columns of the file, those of one quantity together. Links of a chain stand side by side, as the picture needs them;
// those between recorded ones are not a number.
function layoutOf({ columns }: RecordedRun, { chains }: Things): Layout {
  const ofLinks = chains.flatMap((chain) => {
    const labels = chain.length.map((_, k) => (chain.name ? `${chain.name}_${k + 1}` : String(k + 1)));
    return ['x', 'y', 'z', 'theta', 'theta_dot', 'phi', 'strain'].map((name) => ({ name, labels })).filter((stem) => labels.some((label) => columns.has(`${stem.name}_${label}`)));
  });
  const taken = new Set(new Layout(ofLinks).names());
  const others = new Map<string, Stem>();
  const stems = (store.info.value?.quantities ?? []).map(({ stem }) => stem).sort((a, b) => b.length - a.length);
  for (const name of columns.keys()) {
    if (taken.has(name)) continue;
    const stem = stems.includes(name) ? undefined : stems.find((one) => name.startsWith(`${one}_`));
    if (!stem) others.set(name, { name, labels: [] });
    else others.set(`${stem}_`, { name: stem, labels: [...(others.get(`${stem}_`)?.labels ?? []), name.slice(stem.length + 1)] });
  }
  return new Layout([...ofLinks, ...others.values()]);
}

function isComplete(layout: Layout, { chains, bodies, coordinates }: Things): boolean {
  const axes = ['x', 'y', 'z'];
  return chains.length + bodies.length + coordinates.length > 0 && chains.every((chain) => axes.every((axis) => layout.of(axis, chain) >= 0)) && bodies.every(({ name, fixed }) => fixed || axes.every((axis) => layout.at(`${axis}_${name}`) >= 0)) && coordinates.every(({ name }) => layout.at(name) >= 0);
}

// Throws where a run asks for more than this page can hold.
export async function openTrajectory(name: string, run: RecordedRun) {
  const times = run.columns.get('t');
  const things = await thingsOf(run);
  const layout = layoutOf(run, things);
  if ((times?.length ?? 0) * layout.width > mostNumbers) throw new Error(t('trajectory.numbers', { millions: mostNumbers / 1e6 }));
  if (!times?.length || !isComplete(layout, things)) {
    store.notify('mistake', t('trajectory.none', { name }));
    return;
  }
  const lists = layout.names().map((column) => run.columns.get(column));
  const rows = Array.from(times, (_, row) => Float64Array.from(lists, (list) => list?.[row] ?? NaN));
  await actions.theLab().stop();
  const { chains, bodies, joints, coordinates, first_order, invariants, drawing } = things;
  trajectory.value = { name, times: Float64Array.from(times), layout, rows, chains, bodies, joints, coordinates, first_order, invariants, drawing };
  shownRow.value = 0;
  const view = actions.theView();
  view.trails.clear();
  view.setChains(chains, 0, true, solidsOf(things), joints, drawing);
  actions.setMode(coordinates.length > 2 || (coordinates.length === 0 && !view.planar) ? '3d' : '2d');
}

export function closeTrajectory() {
  trajectory.value = null;
  const description = store.description.value;
  actions.theView().trails.clear();
  if (description) actions.theView().setChains(description.chains, description.ghosts.length, true, solidsOf(description), description.joints, description.drawing);
}

let clock = 0;
let last = 0;
let trailed = -1; // the row up to which trails are drawn

// Runs on when running, up to the end.
function moveOn({ times }: Trajectory, now: number) {
  const elapsed = last ? Math.min(0.1, (now - last) / 1000) : 0;
  last = now;
  if (!store.running.value) {
    clock = times[shownRow.value]!;
    return;
  }
  clock = Math.max(clock, times[shownRow.value]!) + elapsed * store.speed.value;
  let row = shownRow.value;
  while (row + 1 < times.length && times[row + 1]! <= clock) row++;
  shownRow.value = row;
  if (row === times.length - 1) store.running.value = false;
}

// Where things were in the seconds before, also after a jump on the timeline.
function drawTrails({ times, rows, layout, chains, bodies, coordinates }: Trajectory) {
  const { trails, followed } = actions.theView();
  const now = shownRow.value;
  if (now === trailed) return;
  if (now < trailed || now > trailed + 20 || trails.length === 0) {
    trails.clear();
    trailed = now;
    while (trailed >= 0 && times[trailed]! > times[now]! - trails.seconds) trailed--;
  }
  const columns = coordinates.length ? [] : placeColumns(layout, chains, bodies, followed);
  while (trailed < now) {
    const row = rows[++trailed]!;
    for (const { position } of pointPose(layout, coordinates, row)) trails.add(0, times[trailed]!, ...position);
    columns.forEach(([x, y, z], bob) => trails.add(bob, times[trailed]!, row[x!]!, row[y!]!, row[z!]!));
  }
}

export function playFrame(now: number) {
  const shown = trajectory.value!;
  moveOn(shown, now);
  const { layout, chains, bodies, coordinates } = shown;
  const row = shown.rows[shownRow.value]!;
  const time = shown.times[shownRow.value]!;
  const view = actions.theView();
  drawTrails(shown);
  const places = new Float32Array(3 * view.linkCount);
  positionsBetween(layout, chains, row, row, 1, 0, places);
  view.draw({ places, strains: null, ghosts: [], pivots: chains.map((chain) => pivotOf(layout, chain, row)), bodies: [...posesBetween(layout, bodies, row, row, 1), ...pointPose(layout, coordinates, row)], ghostBodies: [], t: time });
}
