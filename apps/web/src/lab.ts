// The motion in the person's hands: asks the engine for ticks, keeps the last rows, and turns wishes into commands.
import { EngineClient, type Answered, type Batch } from './engine/client';
import { AdvanceStatus, type Answers, type Changed, type Described, type Description, type Ghost, type Hold, type Point, type Request, type Saved, type SceneDocument, type Seen, type Standing, type Stem } from './engine/protocol';
import { Lost, Mistakes } from './engine/mistakes';
import { gestureOf } from './gestures';
import { Layout, setTickSeconds, timeScale, pivotOf, placeColumns, pointPose, solidsOf, posesBetween, positionsBetween, ticksPerSecond } from './rows';
import { chainsOf, copyOf, newChain, simulationOf, type ChainWish } from './scene/document';
import * as store from './store';
import { t } from './texts';
import type { Picture, View } from './view/view';
import { Divergence } from './divergence';

export function chainRequest(wish: ChainWish): Request & { do: 'load' } {
  return { do: 'load', text: JSON.stringify(newChain(wish)), name: 'chain' };
}

const mostTicksAtOnce = 600;
const longestBeat = 0.5; // s
const mostOwed = 0.3; // s of time that came late and is made up for
const recentRows = 600; // more than are ever computed ahead of what is shown
const mostTraced = 120 * 120; // ticks of the past that curves of marked points go back
const tracedAtOnce = 120;

// What a change was answered with: nothing, or what is wrong with it.
type Refusal = string[] | null;

export class Lab {
  readonly divergence = new Divergence();
  layout = new Layout([{ name: 't', labels: [] }]);
  ghostLayout = this.layout;
  row: Float64Array = new Float64Array(1);
  private recent: { tick: number; row: Float64Array }[] = [];
  private clock = 0; // in ticks: what is shown
  private advancing = false;
  private holding = false; // a hand holds a bob, and time stands still
  private restingPivot: { chain: number; place: Point; tick: number } | null = null; // let go, and not yet at rest
  private asked = 0; // commands on their way
  private askedIn = 0;
  private generation = 0; // rows asked for before a change are of no use after it
  private waitingDoc: { doc: SceneDocument; quiet: boolean; automatic: boolean; gesture: number } | null = null;
  private changing: Promise<Refusal> | null = null;
  private lastBeat = 0;
  private owed = 0; // ticks that came late
  private longestWish = 0; // of late: ticks from one beat to the next
  private cost = 0;
  private reached = 1;
  private behindSince = 0;
  private places = new Float32Array();
  private strains = new Float32Array();
  private ghostPlaces: Float32Array[] = [];
  private trailColumns: number[][] = [];
  private lowestPotential = Infinity;
  private watched = '';
  pastVersion = 0; // another one: what was told of the past may hold no more
  onChanged: () => void = () => undefined; // something was done that a reload must not lose

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
    this.generation++;
    const answered = await this.attempt({ do: 'load', text, name, source });
    if (!answered) return false;
    this.begin(answered.answer, answered.row, true);
    store.presetName.value = name;
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
    store.presetName.value = 'chain';
  }

  // The scene with something changed; the motion goes on, and time with it. Quick changes, as of a slider, catch up with
  // the engine. Resolves to what is wrong with the change, where it was refused; `quiet`: whoever asked says so.
  edit(change: (doc: SceneDocument) => void, { quiet = false, automatic = false } = {}): Promise<Refusal> {
    const doc = copyOf(store.scene.value);
    change(doc);
    store.scene.value = doc;
    this.waitingDoc = { doc, quiet, automatic, gesture: gestureOf('change') };
    this.changing ??= this.sendChanges().finally(() => {
      this.changing = null;
    });
    return this.changing;
  }

  private async sendChanges(): Promise<Refusal> {
    let refusal: Refusal = null;
    while (this.waitingDoc) {
      const { doc, quiet, automatic, gesture } = this.waitingDoc;
      this.waitingDoc = null;
      if (!store.running.value) await this.settle();
      const request = { do: 'change', text: JSON.stringify(doc), name: store.presetName.value || 'scene', gesture, automatic } as const;
      const answered = quiet ? await this.attemptQuietly(request) : { answered: await this.attempt(request), mistakes: [] as string[] };
      if (!answered.answered) {
        refusal = answered.mistakes;
        if (store.description.value && !this.waitingDoc) store.scene.value = store.description.value.scene;
        continue;
      }
      refusal = null;
      const { answer, row } = answered.answered as Answered<Changed>;
      if (answer.restarted) this.begin(answer, row, true);
      else this.describe(answer, row, this.waitingDoc === null);
      if (!answer.restarted) this.lastChange = { before: answer.energy_before, after: answer.energy_after };
      this.pastVersion++;
      this.onChanged();
    }
    return refusal;
  }
  lastChange: { before: number; after: number } | null = null;

  // ---- undo -------------------------------------------------------------------------------------------------

  undo = () => this.goThrough('undo');
  redo = () => this.goThrough('redo');

  private async goThrough(direction: 'undo' | 'redo') {
    await this.changing;
    this.generation++;
    const answered = await this.attempt({ do: direction });
    if (!answered?.answer.done) return;
    const { answer, row } = answered;
    setTickSeconds(answer.tick_seconds);
    const before = store.description.value;
    this.forget();
    this.describe(answer, row, true, JSON.stringify([before?.chains.length, before?.bodies.length]) !== JSON.stringify([answer.chains.length, answer.bodies.length]));
    store.presetName.value = answer.name;
    this.clock = answer.tick;
    this.record(answer.tick, row);
    this.traceAnew();
    this.onChanged();
  }

  // ---- time -------------------------------------------------------------------------------------------------

  run() {
    this.lastBeat = this.owed = 0;
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
    this.clock = store.standing.value.tick;
    this.onChanged();
  }

  async go(tick: number) {
    const from = store.standing.value.tick;
    this.generation++;
    const answered = await this.attempt({ do: 'go', tick });
    if (!answered) return;
    const { answer, row } = answered;
    if ('scene' in answer && answer.scene) this.describe(answer as Described, row, true);
    else this.stand(answer, row);
    this.view.trails.forgetAfter(answer.tick / ticksPerSecond);
    this.divergence.forgetAfter(answer.tick);
    this.clock = answer.tick;
    this.record(answer.tick, row);
    if (answer.tick > from + 1) this.traceAnew();
    this.onChanged();
  }

  async reset(asDragged: boolean) {
    this.generation++;
    const answered = await this.attempt({ do: 'reset', as_dragged: asDragged });
    if (!answered) return;
    this.begin(answered.answer, answered.row, false);
    this.onChanged();
  }

  // ---- hands ------------------------------------------------------------------------------------------------

  private dragTarget: (Request & { do: 'drag' }) | null = null;
  private dragSending: Promise<void> | null = null;

  async hold() {
    this.holding = true;
    await this.settle();
  }

  drag(hold: Hold, target: Point): Promise<void> {
    this.dragTarget = { do: 'drag', target, ...hold, gesture: gestureOf('drag') };
    this.dragSending ??= this.sendDrags().finally(() => {
      this.dragSending = null;
    });
    return this.dragSending;
  }

  async release() {
    await this.dragSending;
    this.holding = false;
    this.lastBeat = 0;
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
      this.pastVersion++;
      this.onChanged();
    }
  }

  private pullTarget: Point | null = null;
  private pulling: Promise<void> | null = null;

  // A hand takes hold of something in motion: it follows the hand, and time goes on.
  async grab(hold: Hold, target: Point): Promise<boolean> {
    const answered = await this.attempt({ do: 'hold', target, ...hold, gesture: gestureOf('hold') });
    if (!answered) return false;
    this.describe(answered.answer, answered.row, false);
    this.pastVersion++;
    return answered.answer.held;
  }

  pull(target: Point): Promise<void> {
    this.pullTarget = target;
    this.pulling ??= this.sendPulls().finally(() => {
      this.pulling = null;
    });
    return this.pulling;
  }

  private async sendPulls() {
    while (this.pullTarget) {
      const target = this.pullTarget;
      this.pullTarget = null;
      const answered = await this.attempt({ do: 'pull', target });
      if (!answered) return;
      const { tick, begin, end } = answered.answer;
      store.standing.value = { tick, begin, end };
      this.pastVersion++;
    }
  }

  // It flies on with the velocity it has; a pivot comes to rest where the hand left it.
  async letGo(pivot: { chain: number; place: Point } | null = null) {
    await this.pulling;
    const answered = await this.attempt({ do: 'let_go' });
    if (!answered) return;
    const { answer, row } = answered;
    this.describe(answer, row, true);
    this.pastVersion++;
    store.throwing.value = { before: answer.energy_before, after: answer.energy_after };
    if (pivot) this.restingPivot = { ...pivot, tick: answer.tick + Math.ceil(0.5 * ticksPerSecond) };
    this.onChanged();
  }

  // Once a pivot that was let go rests to the last digit, the scene says where.
  private restPivot() {
    const resting = this.restingPivot;
    if (!resting || store.standing.value.tick < resting.tick) return;
    this.restingPivot = null;
    void this.edit((doc) => {
      const chain = chainsOf(doc)[resting.chain];
      if (chain) chain.pivot = resting.place;
    }, { automatic: true });
  }

  async setGhosts(ghosts: Ghost[], automatic = false) {
    if (!store.running.value) await this.settle();
    const answered = await this.attempt({ do: 'ghosts', ghosts, gesture: gestureOf('ghosts'), automatic });
    if (!answered) return;
    this.divergence.clear();
    this.describe(answered.answer, answered.row, true);
    this.record(answered.answer.tick, answered.row);
    this.pastVersion++;
    this.onChanged();
  }

  // ---- plots ------------------------------------------------------------------------------------------------

  async columns(): Promise<Stem[] | null> {
    return (await this.attempt({ do: 'columns' }))?.answer.columns ?? null;
  }

  // Values of columns over ticks of the past. The engine computes what it has not kept, a little at a time.
  async plot(wish: { columns: string[]; first: number; last: number; points: number; envelope: boolean }): Promise<(Answers['plot'] & { rows: Float64Array }) | null> {
    if (!store.description.value) return null;
    if (wish.columns.some((name) => !this.watched.includes(`|${name}|`))) return null; // not told yet
    const answered = await this.client.call({ do: 'plot', ...wish, most_ticks: store.running.value ? 240 : 1200 });
    return { ...answered.answer, rows: answered.row };
  }

  // The columns that plots show: the engine keeps their values from now on.
  async watch(columns: string[]) {
    const watched = columns.map((name) => `|${name}|`).join('');
    if (watched === this.watched) return;
    if (await this.attempt({ do: 'watch', columns })) this.watched = watched;
    this.pastVersion++;
  }

  // An engine that was started afresh knows nothing of what is watched.
  watchAgain() {
    const columns = this.watched.split('|').filter(Boolean);
    this.watched = '';
    return this.watch(columns);
  }

  // Rows of a stretch of the past in full, with the columns of now.
  async table(first: number, last: number): Promise<{ width: number; rows: Float64Array } | null> {
    await this.stop();
    const answered = await this.attempt({ do: 'table', first, last });
    return answered && { width: answered.answer.width, rows: answered.row };
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

  // All of it, with its past, as it is computed: a little ahead of what is shown.
  async session(): Promise<Saved> {
    return (await this.client.call({ do: 'save', past: true })).answer;
  }

  async restore(saved: Saved, automatic = false): Promise<boolean> {
    this.generation++;
    const answered = await this.attempt({ do: 'restore', saved, automatic });
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

  private tracing: Promise<void> | null = null;
  private tracedIn = 0;

  // Curves of points that were marked just now, from the engine's history.
  traceAgain(): Promise<void> {
    const run = ++this.tracedIn;
    this.view.trails.curves.clear();
    const tracing = this.traceBack(run, this.generation).finally(() => {
      if (this.tracedIn === run) this.tracing = null;
    });
    return (this.tracing = tracing);
  }

  private traceAnew() {
    if (this.view.trails.curves.marks.length) void this.traceAgain();
  }

  // A little at a time, the latest first, while the motion goes on. Whatever leaves for another instant begins it anew.
  private async traceBack(run: number, generation: number): Promise<void> {
    const { curves } = this.view.trails;
    const { layout } = this;
    const bodies = store.description.value?.bodies ?? [];
    const { tick, begin } = store.standing.value;
    const oldest = Math.max(begin, tick - mostTraced);
    for (let last = tick; last >= oldest && curves.marks.length; last -= tracedAtOnce) {
      const first = Math.max(oldest, last - tracedAtOnce + 1);
      const answered = await this.attempt({ do: 'table', first, last });
      if (run !== this.tracedIn || !answered) return;
      if (generation !== this.generation || layout !== this.layout) return this.traceAgain();
      const { width } = answered.answer;
      const rows = Array.from({ length: last - first + 1 }, (_, i) => answered.row.subarray(i * width, (i + 1) * width));
      curves.before(() => rows.forEach((row, i) => curves.take((first + i) / ticksPerSecond, (body) => posesBetween(layout, bodies.slice(body, body + 1), row, row, 1)[0])));
    }
  }

  private traceCurves(tick: number, row: Float64Array) {
    const bodies = store.description.value?.bodies ?? [];
    if (this.view.trails.curves.marks.length) this.view.trails.curves.take(tick / ticksPerSecond, (body) => posesBetween(this.layout, bodies.slice(body, body + 1), row, row, 1)[0]);
  }

  private async attempt<R extends Request>(request: R) {
    const { answered, mistakes } = await this.attemptQuietly(request);
    for (const text of mistakes) store.notify('mistake', text);
    return answered;
  }

  private async attemptQuietly<R extends Request>(request: R): Promise<{ answered: Answered<Answers[R['do']]> | null; mistakes: string[] }> {
    this.asked++;
    try {
      return { answered: await this.client.call(request), mistakes: [] };
    } catch (error) {
      if (error instanceof Lost) return { answered: null, mistakes: [] }; // what happened is told once, elsewhere
      return { answered: null, mistakes: error instanceof Mistakes ? error.mistakes : [String(error)] };
    } finally {
      this.asked--;
    }
  }

  // ---- answers ----------------------------------------------------------------------------------------------

  private stand({ tick, begin, end, can_undo, can_redo }: Standing, row: Float64Array, keepRecent = false) {
    store.standing.value = { tick, begin, end };
    store.canUndo.value = can_undo;
    store.canRedo.value = can_redo;
    this.row = row;
    this.recent = keepRecent ? [...this.recent.filter((one) => one.tick < tick), { tick, row }] : [{ tick, row }];
  }

  // Nothing that was drawn of the motion before belongs to what comes now.
  private forget() {
    this.pastVersion++;
    this.restingPivot = null;
    this.view.trails.seconds = 4 * timeScale;
    this.view.trails.clear();
    this.divergence.clear();
    this.lowestPotential = Infinity;
    store.conversion.value = null;
    store.throwing.value = null;
  }

  private begin(answer: Described, row: Float64Array, refit: boolean) {
    setTickSeconds(answer.tick_seconds);
    this.forget();
    this.describe(answer, row, true, refit);
    this.clock = answer.tick;
    this.record(answer.tick, row);
    this.onChanged();
  }

  // The engine tells what it has now: other columns, other chains, other ghosts.
  private describe(answer: Described, row: Float64Array, adoptScene: boolean, refit = false) {
    const before = store.description.value;
    const layout = new Layout(answer.columns);
    const sameColumns = JSON.stringify(before?.columns) === JSON.stringify(answer.columns) && before?.ghosts.length === answer.ghosts.length;
    // In a motion that runs on, what was computed ahead is still to be shown.
    const goesOn = sameColumns && store.running.value && !refit;
    this.layout = layout;
    this.ghostLayout = new Layout(answer.ghost_columns);
    const links = answer.chains.reduce((sum, chain) => sum + chain.length.length, 0);
    this.places = new Float32Array(3 * links);
    this.strains = new Float32Array(links);
    this.ghostPlaces = answer.ghosts.map(() => new Float32Array(3 * links));
    this.stand(answer, row, goesOn);
    const sameLook = !refit && before && JSON.stringify([before.chains, before.bodies, before.coordinates, before.drawing, before.ghosts.length]) === JSON.stringify([answer.chains, answer.bodies, answer.coordinates, answer.drawing, answer.ghosts.length]);
    store.description.value = answer;
    store.ghosts.value = answer.ghosts;
    if (adoptScene) store.scene.value = answer.scene;
    if (!sameLook) this.view.setChains(answer.chains, answer.ghosts.length, refit, solidsOf(answer), answer.joints, answer.drawing);
    store.marks.value = this.view.trails.curves.marks.length;
    this.trailColumns = answer.coordinates.length ? [] : placeColumns(layout, answer.chains, answer.bodies, this.view.followed);
    this.clock = goesOn ? Math.min(this.clock, answer.tick) : Math.max(Math.min(this.clock, answer.tick), answer.tick - 1);
  }

  // Rows up to the tick at which the engine stands now.
  private takeRows({ count, rows, status, milliseconds, tick }: Batch) {
    const { begin, end } = store.standing.value;
    const width = count ? rows.length / count : 0;
    for (let i = 0; i < count; i++) {
      const row = rows.subarray(i * width, (i + 1) * width);
      this.recent.push({ tick: tick - count + i + 1, row });
      this.record(tick - count + i + 1, row);
    }
    if (count) this.row = this.recent[this.recent.length - 1]!.row;
    this.recent.splice(0, this.recent.length - recentRows);
    store.standing.value = { tick, begin, end: Math.max(end, tick) };
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
    while (this.asked || this.changing || this.dragSending || this.stepping || this.pulling || this.tracing || (this.advancing && !store.running.value)) await pause();
    await pause();
  }

  // The tick on the screen: what is computed is a little ahead of it.
  get shownTick(): number {
    return Math.ceil(this.clock);
  }

  get time(): number {
    return store.standing.value.tick / ticksPerSecond;
  }

  // ---- frames -----------------------------------------------------------------------------------------------

  frame(now: number) {
    this.beat(now);
    const picture = this.picture();
    if (picture) this.view.draw(picture);
  }

  // Time moves on with every frame, and between them where a busy machine draws seldom. A page that was hidden does not
  // leap.
  beat(now: number) {
    const elapsed = this.lastBeat ? Math.min(longestBeat, (now - this.lastBeat) / 1000) : 1 / 60;
    if (elapsed <= 0) return;
    this.lastBeat = now;
    if (store.running.value && !this.holding) this.moveOn(elapsed, now);
    this.restPivot();
  }

  private moveOn(elapsed: number, now: number) {
    const wish = elapsed * store.speed.value * ticksPerSecond;
    const wanted = this.clock + wish + this.owed;
    const { tick } = store.standing.value;
    const reached = Math.max(this.clock, Math.min(wanted, tick));
    this.reached = 0.95 * this.reached + 0.05 * Math.min(1, (reached - this.clock) / wish);
    this.clock = reached;
    this.owed = Math.min(wanted - reached, mostOwed * store.speed.value * ticksPerSecond);
    this.keepUp(now);
    // One frame ahead, as long as those of late, so that the next one finds what it needs.
    this.longestWish = Math.max(wish, 0.9 * this.longestWish);
    const missing = Math.ceil(this.clock + this.owed + wish + this.longestWish) - tick;
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
    const higher = Math.min(1e-5, tolerance * 1e3);
    store.raisedTolerance.value = higher;
    store.notify('warning', t('notice.raised', { tolerance: higher.toExponential(0) }));
    void this.edit((doc) => {
      simulationOf(doc).tolerance = higher;
    }, { automatic: true });
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
