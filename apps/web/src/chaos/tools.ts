// Exponents that grow, sections by clicks, bifurcation diagrams: each asked of one worker, a little at a time, while one watches.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { ChaosAnswers, GrownSpectrum, IndicatorValue } from '../engine/chaos-protocol';
import { Mistakes } from '../engine/mistakes';
import type { SceneDocument } from '../engine/protocol';
import { openTrajectory } from '../files/trajectory';
import * as store from '../store';
import { pool, reasonOf, whateverDies, type Lease } from './pool';

const budget = 250; // ms of a call

// What one worker does until it is done or another one begins; whoever asks for more is told by `goesOn`.
class Work {
  readonly running = signal(false);
  readonly refusal = signal('');
  readonly of = signal<SceneDocument | null>(null); // what is shown belongs to this scene
  private turn = 0;

  constructor(private readonly which: number) {}

  stop() {
    this.turn++;
    this.running.value = false;
  }

  // Of the scene that is there now; `goesOn` with it: of the one before.
  async begin(act: (worker: Lease, goesOn: () => boolean, text: string) => Promise<void>, { goesOn = false } = {}) {
    const mine = ++this.turn;
    this.refusal.value = '';
    this.running.value = true;
    if (!goesOn || !this.of.value) this.of.value = store.scene.value;
    const text = JSON.stringify(this.of.value);
    try {
      const workers = await pool();
      await whateverDies(() => act(workers[this.which % workers.length]!.lease(), () => mine === this.turn, text));
    } catch (error) {
      if (mine === this.turn) this.refusal.value = reasonOf(error);
    }
    if (mine === this.turn) this.running.value = false;
  }
}

// ---- exponents

export const spectrum = {
  work: new Work(0),
  now: signal<GrownSpectrum | null>(null),
  rows: signal<Float64Array>(new Float64Array()), // t and the running values, row by row
};

export function growSpectrum(seconds: number) {
  spectrum.now.value = null;
  return spectrum.work.begin(async (worker, goesOn, text) => {
    await worker.ask({ do: 'spectrum', text });
    for (let to = Math.min(10, seconds); goesOn(); ) {
      const { answer, rows } = await worker.ask({ do: 'grow', to, budget });
      if (!goesOn()) return;
      spectrum.now.value = answer;
      spectrum.rows.value = rows;
      if (answer.outcome === 'failed') throw new Mistakes([answer.message ?? answer.outcome]);
      if (answer.outcome === 'interrupted') continue; // by its budget
      if (to >= seconds) return;
      to = Math.min(seconds, 1.3 * to);
    }
  });
}

// ---- sections

export interface SectionWish {
  when: string;
  axes: [string, string];
  direction: 'rising' | 'falling' | 'any';
  seconds: number;
}

// A motion on the surface: the scene's own, or one that a click started.
interface Started {
  at: [number, number] | null;
  start: number | null; // the engine's number of it
  over: boolean;
}

export const section = {
  work: new Work(1),
  wish: signal<SectionWish | null>(null),
  reach: signal<[[number, number], [number, number]] | null>(null),
  energy: signal<number | null>(null),
  why: signal(''), // starts cannot be chosen
  points: signal<{ x: number; y: number; start: number }[]>([]),
  started: [] as Started[],
};

// A usual surface of a scene: where its first coordinate passes zero.
export function usualSection(): SectionWish {
  const { coordinates = [], first_order, chains = [] } = store.description.value ?? {};
  const names = coordinates.map(({ name }) => name);
  if (first_order && names.length >= 4) return { when: names[0]!, axes: [names[1]!, names[3]!], direction: 'rising', seconds: 1000 };
  if (first_order) return { when: names[0] ?? 't', axes: [names[1] ?? 't', names[2] ?? names[0] ?? 't'], direction: 'rising', seconds: 1000 };
  if (names.length >= 2) return { when: names[0]!, axes: [names[1]!, `${names[1]!}_dot`], direction: 'rising', seconds: 1000 };
  const label = (link: number) => (chains[0]?.name ? `${chains[0].name}_${link}` : String(link));
  const several = (chains[0]?.length.length ?? 0) > 1;
  return { when: `theta_${label(1)}`, axes: several ? [`theta_${label(2)}`, `theta_dot_${label(2)}`] : [`theta_${label(1)}`, `theta_dot_${label(1)}`], direction: 'rising', seconds: 300 };
}

// The surface, and the scene's own motion on it.
export function openSection(wish: SectionWish) {
  section.wish.value = wish;
  section.started = [{ at: null, start: null, over: false }];
  section.points.value = [];
  return section.work.begin(followAll);
}

// One more motion, beside those that are followed already.
export function startAt(at: [number, number]) {
  section.started.push({ at, start: null, over: false });
  if (!section.work.running.value) void section.work.begin(followAll, { goesOn: true });
}

export function stopSection() {
  section.work.stop();
  for (const one of section.started) one.over = true;
}

// All that are not over in turn, a little each; the surface is opened for them.
async function followAll(worker: Lease, goesOn: () => boolean, text: string) {
  const { when, axes, direction, seconds: duration } = section.wish.value!;
  const { answer } = await worker.ask({ do: 'section', text, when, axes, direction, duration });
  if (!goesOn()) return;
  [section.reach.value, section.energy.value, section.why.value] = [answer.reach, answer.energy, answer.why];
  section.points.value = section.points.value.filter(({ start }) => section.started[start]!.over);
  for (const one of section.started) one.start = null;
  const wrong: string[] = [];
  for (let some = true; some && goesOn(); ) {
    some = false;
    for (const [i, one] of section.started.entries()) {
      if (one.over || !goesOn()) continue;
      some = true;
      try {
        await followOne(worker, goesOn, one, i, duration);
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error;
        one.over = true; // the others go on
        wrong.push(...error.mistakes);
      }
    }
  }
  if (wrong.length && goesOn()) throw new Mistakes([...new Set(wrong)]);
}

async function followOne(worker: Lease, goesOn: () => boolean, one: Started, i: number, last: number) {
  one.start ??= (await worker.ask({ do: 'section_start', ...(one.at ? { at: one.at } : {}) })).answer.start;
  const { answer, rows } = await worker.ask({ do: 'section_follow', start: one.start, to: last, budget });
  if (!goesOn()) return;
  const fresh = Array.from({ length: rows.length / answer.width }, (_, k) => ({ x: rows[k * answer.width + 1]!, y: rows[k * answer.width + 2]!, start: i }));
  if (fresh.length) section.points.value = [...section.points.value, ...fresh];
  if (answer.message) throw new Mistakes([answer.message]);
  one.over = answer.time >= last;
}

// ---- bifurcations

export interface DiagramWish {
  along: string;
  from: number;
  to: number;
  count: number;
  record: string;
  period: number; // of a drive; 0: a section
  when: string;
}

export const diagram = {
  work: new Work(2),
  wish: signal<DiagramWish | null>(null),
  parameters: signal<number[]>([]),
  columns: signal<Float64Array[]>([]), // one after the other
};

export function usualDiagram(): DiagramWish {
  const parameters = (store.scene.value.forces as { parameters?: Record<string, number> }[] | undefined)?.[0]?.parameters;
  const [name, value] = Object.entries(parameters ?? {})[0] ?? [];
  if (store.presetName.value === 'driven-pendulum') return { along: 'forces.1.parameters.drive', from: 1, to: 1.2, count: 120, record: 'theta_dot_1', period: Number((3 * Math.PI).toFixed(9)), when: '' };
  if (name) return { along: `forces.1.parameters.${name}`, from: 0.5 * Number(value), to: 1.5 * Number(value), count: 80, record: 'theta_dot_1', period: 0, when: 'theta_1' };
  return { along: 'simulation.gravity', from: 2, to: 15, count: 80, record: 'theta_dot_1', period: 0, when: 'theta_1' };
}

export function drawDiagram(wish: DiagramWish) {
  diagram.wish.value = wish;
  return diagram.work.begin(async (worker, goesOn, text) => {
    diagram.columns.value = [];
    const { along, from, to, count, record, period, when } = wish;
    const by = period > 0 ? { period, duration: 60 * period, skip: 40 * period } : { when, duration: 60, skip: 30 };
    const { answer } = await worker.ask({ do: 'bifurcation', text, along, from, to, count, record, ...by });
    if (!goesOn()) return;
    diagram.parameters.value = answer.parameters;
    for (let index = 0; index < answer.parameters.length && goesOn(); index++) {
      const { answer: told, rows } = await worker.ask({ do: 'column', index });
      if (!goesOn()) return;
      if (told.outcome === 'failed') throw new Mistakes([told.message]);
      diagram.columns.value = [...diagram.columns.value, rows];
    }
  });
}

// ---- ghosts

// Order and chaos of the motion's ghosts from here on, by MEGNO: 2 where motions are regular, growing where they are chaotic.
export const ghosts = {
  work: new Work(4),
  found: signal<(IndicatorValue | null)[]>([]),
  time: signal(0), // that all of them have reached
};

const regular = [0, 114, 178];
const chaotic = [213, 94, 0];

// From blue at 2 to red at 6 and beyond.
export function indicatorColor(one: IndicatorValue | null): string | null {
  if (one?.value == null) return null;
  const part = Math.min(1, Math.max(0, (one.value - 2) / 4));
  return `#${regular.map((c, i) => Math.round(c + part * (chaotic[i]! - c)).toString(16).padStart(2, '0')).join('')}`;
}

function showIndicators(found: (IndicatorValue | null)[]) {
  ghosts.found.value = found;
  actions.theView().tintGhosts(found.map(indicatorColor));
}

// Other ghosts, or another scene: what was found is of others.
store.ghosts.subscribe(() => {
  if (!ghosts.found.peek().length && !ghosts.work.running.peek()) return;
  ghosts.work.stop();
  showIndicators([]);
});

export function judgeGhosts(seconds: number) {
  return ghosts.work.begin(async (worker, goesOn) => {
    const saved = await actions.theLab().save();
    await worker.ask({ do: 'indicators', duration: seconds, saved });
    for (let to = Math.min(5, seconds); goesOn(); ) {
      const { motions } = (await worker.ask({ do: 'indicators_follow', to, budget })).answer;
      if (!goesOn()) return;
      const times = motions.filter(({ time, message }) => time !== null && !message).map(({ time }) => time!);
      ghosts.time.value = Math.min(seconds, ...times);
      showIndicators(motions.slice(1).map(({ indicators }) => indicators.megno ?? null));
      if (times.some((time) => time < to - 1e-9)) continue; // by its budget
      if (to >= seconds) return;
      to = Math.min(seconds, to + 5);
    }
  });
}

// ---- modes

export const modes = {
  work: new Work(3),
  found: signal<ChaosAnswers['modes'] | null>(null),
};

export function findModes() {
  modes.found.value = null;
  return modes.work.begin(async (worker, goesOn, text) => {
    const { answer } = await worker.ask({ do: 'modes', text });
    if (goesOn()) modes.found.value = answer;
  });
}

const swings = 5; // that are shown
const rowsOfSwing = 60;

// On the stage as a recorded run: several swings, one behind the other.
export function showMode(mode: number) {
  const { scene } = modes.found.value!;
  return modes.work.begin(async (worker, goesOn, text) => {
    await worker.ask({ do: 'modes', text }); // of the scene they were found of
    const { answer, rows } = await worker.ask({ do: 'mode', mode, count: rowsOfSwing });
    if (!goesOn()) return;
    const { width, columns } = answer;
    const count = rows.length / width;
    const period = count * (rows[width]! - rows[0]!); // the row behind the last is the first one again
    const times = Array.from({ length: swings * count }, (_, i) => ({ row: i % count, t: Math.floor(i / count) * period }));
    const values = (at: number) => Float64Array.from(times, ({ row, t }) => rows[row * width + at]! + (at === 0 ? t : 0));
    await openTrajectory(`${store.presetName.value} ${mode + 1}`, { columns: new Map(columns.map((name, at) => [name, values(at)])), scene });
    store.running.value = true;
  }, { goesOn: true });
}
