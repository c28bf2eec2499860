// The motion in the person's hands: asks the engine for ticks, keeps the last rows, and turns wishes into commands.
import { EngineClient, type Answered, type Batch } from './engine/client';
import { AdvanceStatus, type Answers, type Changed, type Described, type Description, type Ghost, type Hold, type Point, type Request, type Saved, type SceneDocument, type Seen, type Standing } from './engine/protocol';
import { Mistakes } from './engine/mistakes';
import { Layout, RowStore, setTickSeconds, timeScale, pivotOf, placeColumns, pointPose, solidsOf, posesBetween, positionsBetween, ticksPerSecond } from './rows';
import { copyOf, newChain, simulationOf, type ChainWish } from './scene/document';
import * as store from './store';
import { t } from './texts';
import type { Picture, View } from './view/view';
import { Divergence } from './divergence';

export function chainRequest(wish: ChainWish): Request & { do: 'load' } {
  return { do: 'load', text: JSON.stringify(newChain(wish)), name: 'chain' };
}

const mostTicksAtOnce = 240;
const recentRows = 600; // more than are ever computed ahead of what is shown

export class Lab {
  readonly rows = new RowStore();
  readonly divergence = new Divergence();
  layout = new Layout([{ name: 't', labels: [] }]);
  ghostLayout = this.layout;
  row: Float64Array = new Float64Array(1);
  private recent: { tick: number; row: Float64Array }[] = [];
  private clock = 0; // in ticks: what is shown
  private advancing = false;
  private holding = false; // a hand holds a bob
  private asked = 0; // commands on their way
  private askedIn = 0;
  private generation = 0; // rows asked for before a change are of no use after it
  private waitingDoc: SceneDocument | null = null;
  private changing: Promise<void> | null = null;
  private lastFrame = 0;
  private cost = 0;
  private reached = 1;
  private behindSince = 0;
  private places = new Float32Array();
  private strains = new Float32Array();
  private ghostPlaces: Float32Array[] = [];
  private trailColumns: number[][] = [];
  private lowestPotential = Infinity;

  constructor(
    private readonly view: View,
    private readonly client: EngineClient,
  ) {
    client.early = (batch) => {
      if (this.askedIn === this.generation) this.takeRows(batch);
    };
  }

  async start() {
    store.info.value = (await this.client.call({ do: 'info' })).answer;
  }

  // ---- scenes -----------------------------------------------------------------------------------------------

  async load(text: string, name: string, source = name): Promise<boolean> {
    const wished = store.ghosts.value;
    const answered = await this.attempt({ do: 'load', text, name, source });
    if (!answered) return false;
    this.begin(answered.answer, answered.row, true);
    store.presetName.value = name;
    store.loweredTolerance.value = null;
    if (wished.length) await this.setGhosts(wished);
    return true;
  }

  loadDocument(doc: SceneDocument, name: string) {
    return this.load(JSON.stringify(doc), name);
  }

  newChain(wish: ChainWish) {
    return this.loadDocument(newChain(wish), 'chain');
  }

  // A chain that was asked for before there was a lab.
  adopt({ answer, row }: Answered<Described>) {
    this.begin(answer, row, true);
    store.presetName.value = 'chain';
  }

  // The scene with something changed; the motion goes on. Quick changes, as of a slider, catch up with the engine.
  edit(change: (doc: SceneDocument) => void): Promise<void> {
    const doc = copyOf(store.scene.value);
    change(doc);
    store.scene.value = doc;
    this.waitingDoc = doc;
    this.changing ??= this.sendChanges().finally(() => {
      this.changing = null;
    });
    return this.changing;
  }

  private async sendChanges() {
    while (this.waitingDoc) {
      const doc = this.waitingDoc;
      this.waitingDoc = null;
      await this.settle();
      const answered = await this.attempt({ do: 'change', text: JSON.stringify(doc), name: store.presetName.value || 'scene' });
      if (!answered) {
        if (store.description.value) store.scene.value = store.description.value.scene;
        continue;
      }
      const { answer, row } = answered as Answered<Changed>;
      if (answer.restarted) this.begin(answer, row, true);
      else this.describe(answer, row, this.waitingDoc === null);
      if (!answer.restarted) this.lastChange = { before: answer.energy_before, after: answer.energy_after };
    }
  }
  lastChange: { before: number; after: number } | null = null;

  // ---- time -------------------------------------------------------------------------------------------------

  run() {
    this.lastFrame = 0;
    store.running.value = true;
  }

  async stop() {
    if (!store.running.value) return;
    store.running.value = false;
    await this.settle();
  }

  // What was computed ahead of what is shown is undone: the engine stands at the tick that is on the screen.
  private async settle() {
    this.generation++;
    const shown = Math.ceil(this.clock);
    if (store.standing.value.tick > shown || this.advancing) await this.go(shown);
  }

  async step(ticks: number) {
    await this.stop();
    const wanted = store.standing.value.tick + ticks;
    if (wanted <= store.standing.value.end) return this.go(Math.max(store.standing.value.begin, wanted));
    for (let left = ticks; left > 0; ) {
      const batch = await this.client.advance(left, 1000);
      this.takeRows(batch);
      if (batch.status !== AdvanceStatus.done || batch.count === 0) break;
      left -= batch.count;
    }
    this.clock = store.standing.value.tick;
  }

  async go(tick: number) {
    this.generation++;
    const answered = await this.attempt({ do: 'go', tick });
    if (!answered) return;
    const { answer, row } = answered;
    if ('scene' in answer && answer.scene) this.describe(answer as Described, row, true);
    else this.stand(answer, row);
    this.rows.forgetAfter(answer.tick);
    this.view.trails.forgetAfter(answer.tick / ticksPerSecond);
    this.divergence.forgetAfter(answer.tick);
    this.clock = answer.tick;
    this.record(answer.tick, row);
  }

  async reset(asDragged: boolean) {
    this.generation++;
    const answered = await this.attempt({ do: 'reset', as_dragged: asDragged });
    if (answered) this.begin(answered.answer, answered.row, false);
  }

  // ---- hands ------------------------------------------------------------------------------------------------

  private dragTarget: (Request & { do: 'drag' }) | null = null;
  private dragSending: Promise<void> | null = null;

  async hold() {
    this.holding = true;
    await this.settle();
  }

  drag(hold: Hold, target: Point): Promise<void> {
    this.dragTarget = { do: 'drag', target, ...hold };
    this.dragSending ??= this.sendDrags().finally(() => {
      this.dragSending = null;
    });
    return this.dragSending;
  }

  async release() {
    await this.dragSending;
    this.holding = false;
    this.lastFrame = 0;
  }

  private async sendDrags() {
    await this.settle();
    while (this.dragTarget) {
      const request = this.dragTarget;
      this.dragTarget = null;
      const answered = await this.attempt(request);
      if (!answered) return;
      const { answer, row } = answered;
      this.generation++;
      if ('scene' in answer && answer.scene) this.describe(answer as Described, row, true);
      else this.stand(answer, row);
      this.view.trails.clear();
      this.divergence.clear();
      this.clock = answer.tick;
      this.record(answer.tick, row);
    }
  }

  async setGhosts(ghosts: Ghost[]) {
    await this.settle();
    const answered = await this.attempt({ do: 'ghosts', ghosts });
    if (!answered) return;
    this.divergence.clear();
    this.describe(answered.answer, answered.row, true);
    this.record(answered.answer.tick, answered.row);
  }

  // ---- elsewhere --------------------------------------------------------------------------------------------

  async save(): Promise<Saved> {
    await this.settle();
    return (await this.client.call({ do: 'save' })).answer;
  }

  // The whole run of the scene from its start, with all quantities, as `catena run -o -` writes it.
  async wholeRun(): Promise<string> {
    await this.stop();
    return (await this.client.call({ do: 'record' })).answer.csv;
  }

  async restore(saved: Saved): Promise<boolean> {
    const answered = await this.attempt({ do: 'restore', saved });
    if (!answered) return false;
    this.begin(answered.answer, answered.row, true);
    store.presetName.value = saved.name;
    return true;
  }

  async check(text: string, source: string): Promise<Seen | null> {
    return (await this.attempt({ do: 'check', text, source }))?.answer ?? null;
  }

  // Looks at the motion without changing anything.
  async look<R extends Request>(request: R): Promise<Answers[R['do']]> {
    return (await this.client.call(request)).answer;
  }

  // Curves of points that were marked just now, from the rows that are kept.
  traceAgain() {
    this.view.trails.curves.clear();
    this.rows.ticks.forEach((tick, i) => this.traceCurves(tick, this.rows.rows[i]!));
  }

  private traceCurves(tick: number, row: Float64Array) {
    const bodies = store.description.value?.bodies ?? [];
    if (this.view.trails.curves.marks.length) this.view.trails.curves.take(tick / ticksPerSecond, (body) => posesBetween(this.layout, bodies.slice(body, body + 1), row, row, 1)[0]);
  }

  private async attempt<R extends Request>(request: R) {
    this.asked++;
    try {
      return await this.client.call(request);
    } catch (error) {
      for (const text of error instanceof Mistakes ? error.mistakes : [String(error)]) store.notify('mistake', text);
      return null;
    } finally {
      this.asked--;
    }
  }

  // ---- answers ----------------------------------------------------------------------------------------------

  private stand({ tick, begin, end }: Standing, row: Float64Array) {
    store.standing.value = { tick, begin, end };
    this.row = row;
    this.recent = [{ tick, row }];
  }

  private begin(answer: Described, row: Float64Array, refit: boolean) {
    this.generation++;
    setTickSeconds(answer.tick_seconds);
    this.view.trails.seconds = 4 * timeScale;
    this.rows.reset(row.length);
    this.view.trails.clear();
    this.divergence.clear();
    this.lowestPotential = Infinity;
    store.conversion.value = null;
    this.describe(answer, row, true, refit);
    this.clock = answer.tick;
    this.record(answer.tick, row);
  }

  // The engine tells what it has now: other columns, other chains, other ghosts.
  private describe(answer: Described, row: Float64Array, adoptScene: boolean, refit = false) {
    this.generation++;
    const before = store.description.value;
    const layout = new Layout(answer.columns);
    const width = layout.width + answer.ghosts.length * new Layout(answer.ghost_columns).width;
    const sameColumns = JSON.stringify(before?.columns) === JSON.stringify(answer.columns) && before?.ghosts.length === answer.ghosts.length;
    if (!sameColumns) this.rows.reset(width);
    this.layout = layout;
    this.ghostLayout = new Layout(answer.ghost_columns);
    const links = answer.chains.reduce((sum, chain) => sum + chain.length.length, 0);
    this.places = new Float32Array(3 * links);
    this.strains = new Float32Array(links);
    this.ghostPlaces = answer.ghosts.map(() => new Float32Array(3 * links));
    this.stand(answer, row);
    const sameLook = !refit && before && JSON.stringify([before.chains, before.bodies, before.coordinates, before.drawing, before.ghosts.length]) === JSON.stringify([answer.chains, answer.bodies, answer.coordinates, answer.drawing, answer.ghosts.length]);
    store.description.value = answer;
    store.ghosts.value = answer.ghosts;
    if (adoptScene) store.scene.value = answer.scene;
    if (!sameLook) this.view.setChains(answer.chains, answer.ghosts.length, refit, solidsOf(answer), answer.joints, answer.drawing);
    this.trailColumns = answer.coordinates.length ? [] : placeColumns(layout, answer.chains, answer.bodies, this.view.followed);
    this.clock = Math.max(Math.min(this.clock, answer.tick), answer.tick - 1);
  }

  private takeRows({ count, rows, status, milliseconds }: Batch) {
    const { tick, begin, end } = store.standing.value;
    const width = count ? rows.length / count : 0;
    for (let i = 0; i < count; i++) {
      const row = rows.subarray(i * width, (i + 1) * width);
      this.recent.push({ tick: tick + i + 1, row });
      this.record(tick + i + 1, row);
    }
    if (count) this.row = this.recent[this.recent.length - 1]!.row;
    this.recent.splice(0, this.recent.length - recentRows);
    store.standing.value = { tick: tick + count, begin, end: Math.max(end, tick + count) };
    if (count) this.cost = 0.9 * this.cost + 0.1 * (milliseconds / count);
    if (status === AdvanceStatus.redone) void this.redescribe();
    if (status === AdvanceStatus.failed) this.fail();
  }

  private async redescribe() {
    const answered = await this.attempt({ do: 'describe' });
    if (answered) this.describe(answered.answer, answered.row, true);
  }

  private fail() {
    store.running.value = false;
    this.clock = store.standing.value.tick;
    store.notify('warning', t('notice.blow-up', { method: store.description.value?.method ?? '', time: this.time.toFixed(2) }), 30);
  }

  private record(tick: number, row: Float64Array) {
    this.rows.push(tick, row);
    const description = store.description.value;
    if (!description) return;
    this.divergence.add(tick, this, description, row);
    this.traceCurves(tick, row);
    this.lowestPotential = Math.min(this.lowestPotential, row[this.layout.at('potential')] ?? Infinity);
    for (const { position } of pointPose(this.layout, description.coordinates, row)) this.view.trails.add(0, tick / ticksPerSecond, ...position);
    this.trailColumns.forEach(([x, y, z], bob) => this.view.trails.add(bob, tick / ticksPerSecond, row[x!]!, row[y!]!, row[z!]!));
  }

  // The lowest potential energy so far: what bars of scenes with bodies begin at.
  get floor(): number {
    return Number.isFinite(this.lowestPotential) ? this.lowestPotential : 0;
  }

  // Settled: nothing that was asked for is still on its way, and the page has drawn it.
  async idle() {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
    await pause();
    while (this.asked || this.changing || this.dragSending || (this.advancing && !store.running.value)) await pause();
    await pause();
  }

  get time(): number {
    return store.standing.value.tick / ticksPerSecond;
  }

  // ---- frames -----------------------------------------------------------------------------------------------

  frame(now: number) {
    const elapsed = this.lastFrame ? Math.min(0.1, (now - this.lastFrame) / 1000) : 1 / 60;
    this.lastFrame = now;
    if (store.running.value && !this.holding && !this.changing) this.moveOn(elapsed, now);
    const picture = this.picture();
    if (picture) this.view.draw(picture);
  }

  private moveOn(elapsed: number, now: number) {
    const wish = elapsed * store.speed.value * ticksPerSecond;
    const wanted = this.clock + wish;
    const { tick } = store.standing.value;
    const reached = Math.min(wanted, tick);
    this.reached = 0.95 * this.reached + 0.05 * Math.min(1, (reached - this.clock) / wish);
    this.clock = reached;
    this.keepUp(now);
    // One frame ahead, so that the next one finds what it needs.
    const missing = Math.ceil(this.clock + 2 * wish) - tick;
    if (missing <= 0 || this.advancing) return;
    this.advancing = true;
    const generation = (this.askedIn = this.generation);
    this.client
      .advance(Math.min(missing, mostTicksAtOnce), 30)
      .then((batch) => {
        if (generation === this.generation) this.takeRows(batch);
      })
      .catch((error) => store.notify('mistake', String(error)))
      .finally(() => {
        this.advancing = false;
      });
  }

  // Where the engine cannot keep up, digits go before speed does, and the page says so.
  private keepUp(now: number) {
    const needed = this.cost * ticksPerSecond * store.speed.value;
    if (needed < 900 || !store.mayLower.value) {
      this.behindSince = now;
      return;
    }
    if (now - this.behindSince < 1500) return;
    this.behindSince = now;
    const method = store.info.value?.methods.find(({ name }) => name === store.description.value?.method);
    const tolerance = (simulationOf(copyOf(store.scene.value)).tolerance as number | undefined) ?? method?.tolerance ?? 0;
    if (!method?.adaptive || tolerance >= 1e-5) return;
    const lower = Math.min(1e-5, tolerance * 1e3);
    store.loweredTolerance.value = lower;
    store.notify('warning', t('notice.lowered', { tolerance: lower.toExponential(0) }));
    void this.edit((doc) => {
      simulationOf(doc).tolerance = lower;
    });
  }

  // Rows on both sides of the clock, and how far between them it is.
  private around(): { from: Float64Array; to: Float64Array; part: number } {
    const upper = Math.ceil(this.clock);
    const to = this.recent.find(({ tick }) => tick === upper);
    const from = this.recent.find(({ tick }) => tick === upper - 1);
    if (!to) return { from: this.row, to: this.row, part: 1 };
    return { from: (from ?? to).row, to: to.row, part: from ? 1 - (upper - this.clock) : 1 };
  }

  private picture(): Picture | null {
    const description: Description | null = store.description.value;
    if (!description) return null;
    const { from, to, part } = this.around();
    positionsBetween(this.layout, description.chains, from, to, part, 0, this.places);
    this.ghostPlaces.forEach((places, i) => {
      positionsBetween(this.ghostLayout, description.chains, from, to, part, this.layout.width + i * this.ghostLayout.width, places);
    });
    let at = 0;
    let elastic = false;
    for (const chain of description.chains) {
      const strain = this.layout.of('strain', chain);
      elastic ||= chain.elastic;
      for (let k = 0; k < chain.length.length; k++) this.strains[at++] = strain < 0 ? 0 : to[strain + k]!;
    }
    const strains = elastic && store.strainColors.value ? this.strains : null;
    const pivots = description.chains.map((chain) => pivotOf(this.layout, chain, to));
    const bodies = [...posesBetween(this.layout, description.bodies, from, to, part), ...pointPose(this.layout, description.coordinates, to)];
    const ghostBodies = description.ghosts.map((_, i) => {
      const offset = this.layout.width + i * this.ghostLayout.width;
      return [...posesBetween(this.ghostLayout, description.bodies, from, to, part, offset), ...pointPose(this.ghostLayout, description.coordinates, to, offset)];
    });
    return { places: this.places, strains, ghosts: this.ghostPlaces, pivots, bodies, ghostBodies, t: this.clock / ticksPerSecond };
  }

  // ---- numbers ----------------------------------------------------------------------------------------------

  value(name: string): number {
    const at = this.layout.at(name);
    return at < 0 ? 0 : this.row[at]!;
  }

  publish() {
    const description = store.description.value;
    if (!description) return;
    const scale = Math.max(description.weight_scale, Math.abs(this.value('kinetic')), 1e-300);
    store.live.value = {
      t: this.clock / ticksPerSecond,
      kinetic: this.value('kinetic'),
      potential: this.value('potential'),
      elastic: this.value('elastic'),
      dissipated: this.value('dissipated'),
      work: this.value('work'),
      energy: this.value('energy'),
      error: this.value('energy_error') / scale,
      step: this.value('step_size'),
      cost: (this.cost * ticksPerSecond * store.speed.value) / 60,
      lagging: this.reached,
      ghosts: description.ghosts.map((_, i) => {
        const energy = this.row[this.layout.width + i * this.ghostLayout.width + this.ghostLayout.at('energy')]!;
        return { energy, ...this.divergence.of(i), failed: !Number.isFinite(energy) };
      }),
    };
  }
}
