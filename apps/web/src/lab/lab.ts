// The motion in the person's hands: asks the engine for ticks, keeps the last rows, and turns wishes into commands.
import type { Answered, Batch, EngineClient } from '../engine/client';
import { Lost } from '../engine/mistakes';
import { AdvanceStatus, type Answers, type Described, type Ghost, type Json, type Moment, type Moved, type Request, type Saved, type SavedSession, type SceneDocument, type Seen, type Standing } from '../engine/protocol';
import { gestureOf } from '../gestures';
import { Layout, placeColumns, pointPose, setTickSeconds, solidsOf, ticksPerSecond, timeScale } from '../rows';
import { toToml } from '../scene/toml';
import { copyOf, newChain, simulationOf, type ChainWish } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import type { View } from '../view/view';
import { Asking, Latest } from './asking';
import { Clock } from './clock';
import { Divergence } from './divergence';
import { Hand } from './hand';
import { Past } from './past';
import { Places } from './places';

export function chainRequest(wish: ChainWish): Request & { do: 'load' } {
  return { do: 'load', text: JSON.stringify(newChain(wish)), name: 'chain' };
}

const mostTicksAtOnce = 600;
export const drawnSource = 'scene.toml'; // what mistakes in a drawing name as their file

// What a change was answered with: nothing, or what is wrong with it.
type Refusal = string[] | null;

interface Edit {
  doc: SceneDocument;
  quiet: boolean;
  automatic: boolean;
  gesture: number;
}

interface Drawn {
  text: string;
  name: string;
  gesture: number;
}

// Whether there are the same things, however they move.
function sameThings(a: Described | null, b: Described): boolean {
  const counts = ({ name, chains, bodies }: Described) => JSON.stringify([name, chains.map(({ length }) => length.length), bodies.map((body) => body.name)]);
  return a !== null && counts(a) === counts(b);
}

export class Lab {
  readonly divergence = new Divergence();
  readonly clock = new Clock();
  readonly hand = new Hand(this);
  readonly past = new Past(this);
  layout = new Layout([{ name: 't', labels: [] }]);
  ghostLayout = this.layout;
  row: Float64Array = new Float64Array(1);
  handled = 0; // another one: the motion is another than that which was followed so far, by hands, links, undo
  private readonly handledAt: number[] = []; // ticks of the past at which hands changed it, as far as they are
  private knowsHands = true; // known
  generation = 0; // rows asked for before a change are of no use after it
  lastChange: { before: number; after: number } | null = null;
  onChanged: () => void = () => undefined; // something was done that a reload must not lose
  look: () => string = () => ''; // how the page looks at it now: undo brings it back
  private readonly asking: Asking;
  private readonly places = new Places();
  private readonly edits = new Latest((edit: Edit) => this.sendEdit(edit));
  private readonly drawings = new Latest((drawing: Drawn) => this.sendDrawing(drawing));
  private refusal: Refusal = null; // of the last edit
  private advancing = false;
  private askedIn = 0;
  private behindSince = 0;
  private lowering = false; // a change of the tolerance is on its way
  private trailColumns: number[][] = [];
  private lowestPotential = Infinity;

  constructor(
    readonly view: View,
    readonly client: EngineClient,
  ) {
    this.asking = new Asking(client);
    client.early = (batch) => {
      if (this.askedIn === this.generation) this.takeRows(batch);
    };
  }

  async start() {
    store.info.value = (await this.client.call({ do: 'info' })).answer;
  }

  attempt<R extends Request>(request: R): Promise<Answered<Answers[R['do']]> | null> {
    return this.asking.attempt(request);
  }

  // ---- scenes -----------------------------------------------------------------------------------------------

  async load(text: string, name: string, source = name): Promise<boolean> {
    const wished = store.ghosts.value;
    this.generation++;
    const answered = await this.attempt({ do: 'load', text, name, source, look: this.look() });
    if (!answered) return false;
    this.begin(answered.answer, answered.row, true);
    store.raisedTolerance.value = null;
    if (wished.length) await this.setGhosts(wished, true);
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
  }

  // The scene with something changed; the motion goes on, and time with it. Quick changes, as of a slider, catch up with
  // the engine. Resolves to what is wrong with the change, where it was refused; `quiet`: whoever asked says so.
  async edit(change: (doc: SceneDocument) => void, { quiet = false, automatic = false } = {}): Promise<Refusal> {
    const doc = copyOf(store.scene.value);
    change(doc);
    store.scene.value = doc;
    await this.edits.ask({ doc, quiet, automatic, gesture: gestureOf('change') });
    return this.refusal;
  }

  private async sendEdit({ doc, quiet, automatic, gesture }: Edit): Promise<boolean> {
    if (!store.running.value) await this.settle();
    const { answered, mistakes } = await this.asking.attemptQuietly({ do: 'change', text: JSON.stringify(doc), name: store.presetName.value || 'scene', gesture, automatic });
    const latest = !this.edits.waits;
    this.refusal = answered ? null : mistakes;
    if (!answered) {
      if (!quiet) for (const text of mistakes) store.notify('mistake', text);
      if (store.description.value && latest) store.scene.value = store.description.value.scene;
      return true;
    }
    const { answer, row } = answered;
    if (answer.restarted) this.begin(answer, row, true);
    else this.describe(answer, row, latest);
    if (!answer.restarted) this.lastChange = { before: answer.energy_before, after: answer.energy_after };
    this.past.version++;
    this.onChanged();
    return true;
  }

  // The scene drawn anew, from its start: a document, or a text of one's own. Resolves to what is wrong with it, where it was refused;
  // then all is as before. What one gesture draws is one step to undo.
  async build(drawn: SceneDocument | string, { name = store.presetName.value || 'scene', gesture = gestureOf('build') } = {}): Promise<Refusal> {
    await this.drawings.ask({ text: typeof drawn === 'string' ? drawn : toToml(drawn), name, gesture });
    return this.refusal;
  }

  private async sendDrawing({ text, name, gesture }: Drawn): Promise<boolean> {
    const wished = store.ghosts.value;
    const names = store.description.value?.bodies.map((body) => body.name) ?? [];
    this.generation++;
    const { answered, mistakes } = await this.asking.attemptQuietly({ do: 'load', text, name, source: drawnSource, look: this.look(), gesture });
    this.refusal = answered ? null : mistakes;
    if (!answered) return true;
    const { bodies } = answered.answer;
    this.view.trails.curves.rename((body) => bodies.findIndex((one) => one.name === names[body]));
    store.running.value = false;
    this.begin(answered.answer, answered.row, false);
    if (wished.length) await this.setGhosts(wished, true);
    return true;
  }

  async setGhosts(ghosts: Ghost[], automatic = false) {
    if (!store.running.value) await this.settle();
    const answered = await this.attempt({ do: 'ghosts', ghosts, gesture: gestureOf('ghosts'), automatic });
    if (!answered) return;
    this.divergence.clear();
    this.describe(answered.answer, answered.row, true);
    this.record(answered.answer.tick, answered.row);
    this.past.version++;
    this.onChanged();
  }

  // ---- undo -------------------------------------------------------------------------------------------------

  // How it was looked at there, where other things are there now; null: it goes on as it is looked at.
  undo = () => this.goThrough({ do: 'undo', look: this.look() });
  redo = () => this.goThrough({ do: 'redo' });

  private async goThrough(request: Request & { do: 'undo' | 'redo' }): Promise<string | null> {
    await this.edits.busy;
    await this.drawings.busy;
    this.generation++;
    const answered = await this.attempt(request);
    if (!answered?.answer.done) return null;
    const { answer, row } = answered;
    const same = sameThings(store.description.value, answer);
    this.begin(answer, row, !same && !this.view.isStill);
    this.past.traceAnew();
    return same ? null : answer.look;
  }

  // ---- time -------------------------------------------------------------------------------------------------

  run() {
    this.clock.start();
    store.running.value = true;
  }

  async stop() {
    if (!store.running.value) return;
    store.running.value = false;
    await this.settle();
  }

  // What was computed ahead of what is shown is undone: the engine stands at the tick that is on the screen.
  async settle() {
    this.generation++;
    if (store.standing.value.tick > this.shownTick || this.advancing) await this.go(this.shownTick);
  }

  private wantedSteps = 0;
  private stepping: Promise<void> | null = null;

  // However quickly they are asked for, no step is lost.
  step(ticks: number): Promise<void> {
    this.wantedSteps += ticks;
    this.stepping ??= this.takeSteps().finally(() => {
      this.stepping = null;
    });
    return this.stepping;
  }

  private async takeSteps() {
    await this.stop();
    while (this.wantedSteps) {
      const ticks = this.wantedSteps;
      this.wantedSteps = 0;
      await this.stepBy(ticks);
    }
  }

  private async stepBy(ticks: number) {
    const wanted = store.standing.value.tick + ticks;
    if (wanted <= store.standing.value.end) return this.go(Math.max(store.standing.value.begin, wanted));
    for (let left = ticks; left > 0; ) {
      const batch = await this.client.advance(left, 1000);
      this.takeRows(batch);
      if (batch.status === AdvanceStatus.failed || batch.count === 0) break;
      left -= batch.count;
    }
    this.clock.at = store.standing.value.tick;
    this.onChanged();
  }

  async go(tick: number) {
    const from = store.standing.value.tick;
    this.generation++;
    const answered = await this.attempt({ do: 'go', tick });
    if (!answered) return;
    const { answer, row } = answered;
    if (answer.tick > from + 1 && (!this.knowsHands || this.handledAt.some((at) => at >= from && at <= answer.tick))) this.handled++;
    this.move(answer, row);
    this.view.trails.forgetAfter(answer.tick / ticksPerSecond);
    this.divergence.forgetAfter(answer.tick);
    this.record(answer.tick, row);
    if (answer.tick > from + 1) this.past.traceAnew();
    this.onChanged();
  }

  async reset(asDragged: boolean) {
    this.generation++;
    const answered = await this.attempt({ do: 'reset', as_dragged: asDragged });
    if (answered) this.begin(answered.answer, answered.row, false);
  }

  // ---- elsewhere --------------------------------------------------------------------------------------------

  async save(): Promise<Moment> {
    await this.settle();
    return (await this.client.call({ do: 'save' })).answer;
  }

  // The whole run of the scene from its start, with all quantities, as `catena run -o -` writes it.
  async wholeRun(): Promise<string> {
    await this.stop();
    return (await this.client.call({ do: 'record' })).answer.csv;
  }

  // All of it, with its past, as it is computed: a little ahead of what is shown. `undoKnown`: what can be undone comes
  // with it, unless it is this version.
  async session(undoKnown?: number): Promise<SavedSession> {
    return (await this.client.call({ do: 'session', ...(undoKnown === undefined ? {} : { undo_known: undoKnown }) })).answer;
  }

  async restore(saved: Saved, { undo, automatic = false }: { undo?: Json; automatic?: boolean } = {}): Promise<boolean> {
    this.generation++;
    const answered = await this.attempt({ do: 'restore', saved, automatic, look: this.look(), ...(undo ? { undo } : {}) });
    if (!answered) return false;
    this.begin(answered.answer, answered.row, true);
    return true;
  }

  async check(text: string, source: string): Promise<Seen | null> {
    return (await this.attempt({ do: 'check', text, source }))?.answer ?? null;
  }

  // The same, and nobody is told what is wrong.
  tryOut<R extends Request>(request: R) {
    return this.asking.attemptQuietly(request);
  }

  // Looks at the motion without changing anything.
  async ask<R extends Request>(request: R): Promise<Answers[R['do']]> {
    return (await this.client.call(request)).answer;
  }

  // ---- answers ----------------------------------------------------------------------------------------------

  private stand({ tick, begin, end, can_undo, can_redo }: Standing, row: Float64Array, goesOn = false) {
    store.standing.value = { tick, begin, end };
    store.canUndo.value = can_undo;
    store.canRedo.value = can_redo;
    this.row = row;
    this.clock.stand(tick, row, goesOn);
  }

  // At another instant of the same motion; other things only where the answer says so.
  private move(answer: Moved, row: Float64Array) {
    if ('scene' in answer && answer.scene) this.describe(answer as Described, row, true);
    else this.stand(answer, row);
    this.clock.at = answer.tick;
  }

  // Hands change the motion here; whoever follows it meets it anew, also when it goes through there again.
  handle() {
    this.handled++;
    this.handledAt.push(store.standing.value.tick);
  }

  takeDrag({ answer, row }: Answered<Moved>) {
    this.generation++;
    this.handle();
    this.move(answer, row);
    this.view.trails.fade();
    this.view.trails.curves.forgetAfter((answer.tick - 0.5) / ticksPerSecond); // the row of this tick is another one now
    this.divergence.clear();
    this.record(answer.tick, row);
    this.past.version++;
    this.onChanged();
  }

  // Nothing that was drawn of the motion before belongs to what comes now.
  private begin(answer: Described, row: Float64Array, refit: boolean) {
    setTickSeconds(answer.tick_seconds);
    this.handled++;
    this.handledAt.length = 0;
    this.knowsHands = answer.end === answer.begin;
    this.past.version++;
    this.hand.forget();
    this.view.trails.seconds = 4 * timeScale;
    this.view.trails.clear();
    this.divergence.clear();
    this.lowestPotential = Infinity;
    store.conversion.value = null;
    store.throwing.value = null;
    this.describe(answer, row, true, refit);
    store.presetName.value = answer.name;
    this.clock.at = answer.tick;
    this.record(answer.tick, row);
    this.onChanged();
  }

  // The engine tells what it has now: other columns, other chains, other ghosts.
  describe(answer: Described, row: Float64Array, adoptScene: boolean, refit = false) {
    const before = store.description.value;
    const same = (...keys: (keyof Described)[]) => !!before && keys.every((key) => JSON.stringify(before[key]) === JSON.stringify(answer[key]));
    const sameGhosts = before?.ghosts.length === answer.ghosts.length;
    const sameColumns = same('columns') && sameGhosts;
    // In a motion that runs on, what was computed ahead is still to be shown.
    const goesOn = sameColumns && store.running.value && !refit;
    if (!sameColumns || refit) {
      this.layout = new Layout(answer.columns);
      this.ghostLayout = new Layout(answer.ghost_columns);
    }
    this.places.resize(answer);
    this.stand(answer, row, goesOn);
    const sameLook = !refit && sameGhosts && same('chains', 'bodies', 'coordinates', 'drawing');
    store.description.value = answer;
    store.ghosts.value = answer.ghosts;
    if (adoptScene) store.scene.value = answer.scene;
    if (!sameLook) this.view.setChains(answer.chains, answer.ghosts.length, refit, solidsOf(answer), answer.joints, answer.drawing);
    store.marks.value = this.view.trails.curves.marks.length;
    this.trailColumns = answer.coordinates.length ? [] : placeColumns(this.layout, answer.chains, answer.bodies, this.view.followed);
    const { at } = this.clock;
    this.clock.at = goesOn ? Math.min(at, answer.tick) : Math.max(Math.min(at, answer.tick), answer.tick - 1);
  }

  // Rows up to the tick at which the engine stands now.
  private takeRows({ count, rows, status, milliseconds, tick }: Batch) {
    const { begin, end } = store.standing.value;
    const width = count ? rows.length / count : 0;
    const taken = Array.from({ length: count }, (_, i) => ({ tick: tick - count + i + 1, row: rows.subarray(i * width, (i + 1) * width) }));
    for (const one of taken) this.record(one.tick, one.row);
    this.row = taken.at(-1)?.row ?? this.row;
    this.clock.take(taken, milliseconds);
    store.standing.value = { tick, begin, end: Math.max(end, tick) };
    if (status === AdvanceStatus.redone) void this.redescribe();
    if (status === AdvanceStatus.failed) this.fail();
  }

  private async redescribe() {
    this.handled++;
    const answered = await this.attempt({ do: 'describe' });
    if (answered) this.describe(answered.answer, answered.row, true);
  }

  private fail() {
    store.running.value = false;
    this.clock.at = store.standing.value.tick;
    store.notify('warning', t('notice.blow-up', { method: store.description.value?.method ?? '', time: this.time.toFixed(2) }), 30);
  }

  private record(tick: number, row: Float64Array) {
    const description = store.description.value;
    if (!description) return;
    this.divergence.add(tick, this, description, row);
    this.past.traceOn(tick, row);
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
    while (this.asking.busy || this.edits.busy || this.drawings.busy || this.hand.busy || this.stepping || this.past.busy || (this.advancing && !store.running.value)) await pause();
    await pause();
  }

  // The tick on the screen: what is computed is a little ahead of it.
  get shownTick(): number {
    return Math.ceil(this.clock.at);
  }

  get time(): number {
    return store.standing.value.tick / ticksPerSecond;
  }

  // ---- frames -----------------------------------------------------------------------------------------------

  frame(now: number) {
    this.beat(now);
    const description = store.description.value;
    if (!description) return;
    const picture = this.places.picture(description, this.layout, this.ghostLayout, this.clock.around(this.row), store.strainColors.value);
    this.view.draw({ ...picture, t: this.clock.at / ticksPerSecond });
  }

  // Time moves on with every frame, and between them where a busy machine draws seldom.
  beat(now: number) {
    const elapsed = this.clock.elapsed(now);
    if (elapsed <= 0) return;
    if (store.running.value && !this.hand.holding) this.moveOn(elapsed, now);
    this.hand.restPivot();
  }

  private moveOn(elapsed: number, now: number) {
    const missing = this.clock.moveOn(elapsed, store.speed.value, store.standing.value.tick);
    this.keepUp(now);
    if (missing <= 0 || this.advancing) return;
    this.advancing = true;
    const generation = (this.askedIn = this.generation);
    this.client
      .advance(Math.min(missing, mostTicksAtOnce), 50)
      .then((batch) => {
        if (generation === this.generation) this.takeRows(batch);
      })
      .catch((error) => !(error instanceof Lost) && store.notify('mistake', String(error)))
      .finally(() => {
        this.advancing = false;
      });
  }

  // Where the engine cannot keep up, digits go before speed does, and the page says so.
  private keepUp(now: number) {
    // What a change brings is measured before the next one: a busy machine makes it late, and it is no reason for two.
    if (this.lowering || this.clock.load(store.speed.value) < 900 || !store.mayLower.value) {
      this.behindSince = now;
      return;
    }
    if (now - this.behindSince < 1500) return;
    this.behindSince = now;
    const method = store.info.value?.methods.find(({ name }) => name === store.description.value?.method);
    const tolerance = (simulationOf(copyOf(store.scene.value)).tolerance as number | undefined) ?? method?.tolerance ?? 0;
    if (!method?.adaptive || tolerance >= 1e-5) return;
    const higher = Math.min(1e-5, tolerance * 1e3);
    store.raisedTolerance.value = higher;
    store.notify('warning', t('notice.raised', { tolerance: higher.toExponential(0) }));
    this.lowering = true;
    void this.edit((doc) => {
      simulationOf(doc).tolerance = higher;
    }, { automatic: true }).finally(() => {
      this.lowering = false;
      this.clock.measureAgain();
    });
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
    const [kinetic, potential, elastic, dissipated, work, energy] = ['kinetic', 'potential', 'elastic', 'dissipated', 'work', 'energy'].map((name) => this.value(name)) as [number, number, number, number, number, number];
    store.live.value = {
      t: this.clock.at / ticksPerSecond,
      ...{ kinetic, potential, elastic, dissipated, work, energy },
      error: this.value('energy_error') / scale,
      step: this.value('step_size'),
      cost: this.clock.load(store.speed.value) / 60,
      lagging: this.clock.reached,
      ghosts: description.ghosts.map((_, i) => {
        const at = (name: string) => this.row[this.layout.width + i * this.ghostLayout.width + this.ghostLayout.at(name)]!;
        const own = description.first_order ? at(description.coordinates[0]!.name) : at('energy');
        return { energy: own, ...this.divergence.of(i), failed: !Number.isFinite(own) };
      }),
    };
  }
}
