// A second stage beside the first: another scene, or the same one by another method. It has an engine of its own, which follows the
// clock of the first.
import { signal } from '@preact/signals';
import { EngineClient, type Answered } from '../engine/client';
import { core } from '../engine/core';
import { Lost, Mistakes } from '../engine/mistakes';
import type { Described, Moment, SceneDocument } from '../engine/protocol';
import type { Lab } from '../lab/lab';
import { Places } from '../lab/places';
import { presets } from '../presets';
import { Layout, solidsOf, ticksPerSecond } from '../rows';
import { copyOf, simulationOf } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { View } from '../view/view';

// What stands beside it. Without a scene it is the one that is there; without a method, by its own.
export interface Wish {
  scene: string;
  method: string;
  tolerance?: number;
  step?: number;
}

export const wish = signal<Wish | null>(null);
export const told = signal<{ title: string; refusal: string }>({ title: '', refusal: '' });
export const apart = signal<number | null>(null); // m, where both have the same columns

// The same scene with other settings.
export function withMethod(doc: SceneDocument, { method, tolerance, step }: Pick<Wish, 'method' | 'tolerance' | 'step'>): SceneDocument {
  const out = copyOf(doc);
  if (!method) return out;
  const simulation = simulationOf(out);
  for (const key of ['order', 'tolerance', 'step']) delete simulation[key];
  Object.assign(simulation, { method, ...(tolerance === undefined ? {} : { tolerance }), ...(step === undefined ? {} : { step }) });
  return out;
}

export const settingOf = ({ tolerance, step }: Pick<Wish, 'tolerance' | 'step'>): string => (step !== undefined ? `h = ${step}` : tolerance !== undefined ? tolerance.toExponential(0) : '');

// An engine for whoever wants one more; it lives as long as the page.
export async function anotherEngine(): Promise<EngineClient> {
  const client = new EngineClient();
  await client.start(await core());
  return client;
}

const columnsOfPlaces = /^[xyz]_/;

// What the second stage is told: a scene from its start, or the first one's moment with other settings.
type Told = { text: string; name: string; from: Moment | null };

class Twin {
  private readonly places = new Places();
  private description: Described | null = null;
  private layout = new Layout([{ name: 't', labels: [] }]);
  private row: Float64Array = new Float64Array(1);
  private tick = 0;
  private begin = 0;
  private end = 0;
  private busy = false;
  private dark: boolean | null = null; // not told yet
  private failed = false;

  constructor(
    readonly view: View,
    private readonly client: EngineClient,
  ) {}

  async load({ text, name, from }: Told) {
    this.description = null;
    let answered: Answered<Described>;
    if (from) {
      await this.client.call({ do: 'restore', saved: { ...from, ghosts: [], ghost_motions: [] } });
      answered = await this.client.call({ do: 'change', text, name });
    } else answered = await this.client.call({ do: 'load', text, name });
    const { answer, row } = answered;
    this.description = answer;
    this.layout = new Layout(answer.columns);
    this.places.resize(answer);
    [this.row, this.tick, this.begin, this.end, this.failed] = [row, answer.tick, answer.begin, answer.end, false];
    this.view.setChains(answer.chains, 0, true, solidsOf(answer), answer.joints, answer.drawing);
    this.view.setMode(store.mode.value);
    this.view.trails.clear();
    const since = from && answer.tick > 0 ? ` · ${t('compare.since', { time: this.time.toFixed(2) })}` : '';
    told.value = { title: `${name} · ${answer.method}${since}`, refusal: '' };
  }

  // Whether it has nothing to show of an instant: its motion begins later.
  beginsAfter(seconds: number): boolean {
    return this.description !== null && seconds / this.description.tick_seconds < this.begin - 0.5;
  }

  get method(): string {
    return this.description?.method ?? '';
  }

  // Towards an instant; what is computed once is gone back to.
  private async follow(seconds: number) {
    const { tick_seconds } = this.description!;
    const wanted = Math.max(this.begin, Math.floor(seconds / tick_seconds + 1e-9));
    if (this.busy || wanted === this.tick || (this.failed && wanted > this.tick)) return;
    this.busy = true;
    try {
      if (wanted <= this.end) {
        const { answer, row } = await this.client.call({ do: 'go', tick: wanted });
        [this.tick, this.row] = [answer.tick, row];
      } else {
        const { count, rows, tick } = await this.client.advance(Math.min(600, wanted - this.tick), 30);
        this.failed = count === 0;
        if (count) this.row = rows.slice((rows.length / count) * (count - 1));
        this.tick = tick;
        this.end = Math.max(this.end, tick);
      }
    } catch {
      this.failed = true;
    }
    this.busy = false;
  }

  get time(): number {
    return this.tick * (this.description?.tick_seconds ?? 0);
  }

  // The largest distance of something that both have, where both stand at the same instant.
  private distance({ row, layout }: Lab, seconds: number): number | null {
    if (Math.abs(this.time - seconds) > 1e-9) return apart.value;
    const squares = new Map<string, number>();
    this.layout.names().forEach((name, i) => {
      const other = layout.at(name);
      if (!columnsOfPlaces.test(name) || other < 0) return;
      squares.set(name.slice(2), (squares.get(name.slice(2)) ?? 0) + (this.row[i]! - row[other]!) ** 2);
    });
    return squares.size ? Math.sqrt(Math.max(...squares.values())) : null;
  }

  frame(lab: Lab) {
    if (!this.description) return;
    const seconds = store.standing.value.tick / ticksPerSecond;
    void this.follow(store.running.value ? Math.min(seconds, lab.clock.at / ticksPerSecond) : seconds);
    apart.value = wish.value?.scene ? null : this.distance(lab, seconds);
    const dark = store.theme.value === 'dark';
    if (dark !== this.dark) this.view.setDark((this.dark = dark));
    if (this.view.mode !== store.mode.value) this.view.setMode(store.mode.value);
    this.view.draw({ ...this.places.picture(this.description, this.layout, this.layout, { from: this.row, to: this.row, part: 1 }, store.strainColors.value), t: this.time });
  }
}

let engine: Promise<EngineClient> | null = null;
let stage: Promise<Twin> | null = null;
let shown: Twin | null = null;
let loaded = ''; // what it was told last
let deaths = 0; // of its engine, since it was told something else

const mostDeaths = 2;

async function ownEngine(): Promise<EngineClient> {
  const client = await anotherEngine();
  // It is told again what it was told, with a word; what kills it again stays away.
  client.revived = async (reason) => {
    shown = null;
    store.notify('warning', t('compare.died', { reason }), 30);
    if (++deaths < mostDeaths) loaded = '';
    else told.value = { title: '', refusal: reason };
  };
  client.lost = (reason) => {
    shown = null;
    told.value = { title: '', refusal: reason };
  };
  return client;
}

// The canvas of the second stage is there, until it is taken away.
export function begin(canvas: HTMLCanvasElement): () => void {
  engine ??= ownEngine();
  engine.catch(() => (engine = null)); // it may be there another time
  const view = new View(canvas);
  const sizes = new ResizeObserver(() => view.resize());
  sizes.observe(canvas);
  view.resize();
  stage = engine.then((client) => new Twin(view, client));
  loaded = '';
  deaths = 0;
  return () => {
    sizes.disconnect();
    view.dispose();
    shown = stage = null;
    apart.value = null;
  };
}

// What is wished for, with the scene as it is now and what hands did to its motion.
function wished(lab: Lab): { text: string; name: string; key: string; own: boolean } | null {
  const wanted = wish.value;
  if (!wanted) return null;
  const preset = presets.find(({ name }) => name === wanted.scene);
  if (preset) return { text: preset.text, name: preset.name, key: preset.text, own: false };
  const text = JSON.stringify(withMethod(store.scene.value, wanted));
  return { text, name: store.presetName.value, key: `${lab.handled} ${text}`, own: true };
}

let refreshing = false;

async function refresh(lab: Lab) {
  const now = wished(lab);
  const before = now?.own && !store.running.value && shown?.beginsAfter(store.standing.value.tick / ticksPerSecond);
  if (!now || !stage || refreshing || (now.key === loaded && !before)) return;
  const asked = stage;
  refreshing = true;
  if (now.key !== loaded && loaded) deaths = 0;
  loaded = now.key;
  try {
    const one = await asked;
    // Of the same scene both go on from one moment: what hands did to the first belongs to both.
    const from = now.own ? (await lab.client.call({ do: 'save' })).answer : null;
    await one.load({ ...now, from });
    if (asked === stage) shown = one;
  } catch (error) {
    if (!(error instanceof Lost)) told.value = { title: '', refusal: error instanceof Mistakes ? error.mistakes.join('\n') : String(error) };
    if (asked === stage) shown = null;
  }
  refreshing = false;
}

// To be called at every frame.
export function frame(lab: Lab) {
  if (!wish.value) return;
  void refresh(lab);
  if (shown) shown.frame(lab);
  else apart.value = null;
}

// For tests.
export const theTwin = () => shown;
export const theEngine = () => engine;
