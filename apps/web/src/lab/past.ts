// What the engine knows of the past: values for plots, rows for tables, curves of marked points.
import type { Answers, Stem } from '../engine/protocol';
import { posesBetween, ticksPerSecond } from '../rows';
import * as store from '../store';
import type { Lab } from './lab';

// Rows are traced in stretches that begin at whole multiples of this, and what is left out of a curve is decided within each:
// so a curve has the same points whether it was drawn on the way or from what the engine knows.
const tracedAtOnce = 120;
const mostTraced = 120 * tracedAtOnce; // ticks that curves of marked points go back, to the beginning of a stretch

const stretchOf = (tick: number) => Math.floor(tick / tracedAtOnce) * tracedAtOnce;

export class Past {
  version = 0; // another one: what was told of the past may hold no more
  private watched = '';
  private tracing: Promise<void> | null = null;
  private tracedIn = 0;
  // Rows that come while the stretch before them is on its way: a curve takes rows in their order. Null: it has that stretch.
  private waiting: { tick: number; row: Float64Array }[] | null = null;

  constructor(private readonly lab: Lab) {}

  get busy(): boolean {
    return this.tracing !== null;
  }

  // ---- plots

  async columns(): Promise<Stem[] | null> {
    return (await this.lab.attempt({ do: 'columns' }))?.answer.columns ?? null;
  }

  // Values of columns over ticks of the past. The engine computes what it has not kept, a little at a time.
  async plot(wish: { columns: string[]; first: number; last: number; points: number; envelope: boolean }): Promise<(Answers['plot'] & { rows: Float64Array }) | null> {
    if (!store.description.value) return null;
    if (wish.columns.some((name) => !this.watched.includes(`|${name}|`))) return null; // not told yet
    const answered = await this.lab.client.call({ do: 'plot', ...wish, most_ticks: store.running.value ? 240 : 1200 });
    return { ...answered.answer, rows: answered.row };
  }

  // The columns that plots show: the engine keeps their values from now on.
  async watch(columns: string[]) {
    const watched = columns.map((name) => `|${name}|`).join('');
    if (watched === this.watched) return;
    if (await this.lab.attempt({ do: 'watch', columns })) this.watched = watched;
    this.version++;
  }

  // An engine that was started afresh knows nothing of what is watched.
  watchAgain() {
    const columns = this.watched.split('|').filter(Boolean);
    this.watched = '';
    return this.watch(columns);
  }

  // Rows of a stretch of the past in full, with the columns of now.
  async table(first: number, last: number): Promise<{ width: number; rows: Float64Array } | null> {
    await this.lab.stop();
    const answered = await this.lab.attempt({ do: 'table', first, last });
    return answered && { width: answered.answer.width, rows: answered.row };
  }

  // ---- curves of marked points

  private get curves() {
    return this.lab.view.trails.curves;
  }

  // Curves of points that were marked just now, from the engine's history.
  traceAgain(): Promise<void> {
    const run = ++this.tracedIn;
    this.curves.clear();
    this.waiting = [];
    const tracing = this.traceBack(run, this.lab.generation).finally(() => {
      if (this.tracedIn === run) this.tracing = this.waiting = null;
    });
    return (this.tracing = tracing);
  }

  traceAnew() {
    if (this.curves.marks.length) void this.traceAgain();
  }

  traceOn(tick: number, row: Float64Array) {
    if (!this.curves.marks.length) return;
    if (this.waiting) this.waiting.push({ tick, row });
    else this.traceNext(tick, row);
  }

  private traceNext(tick: number, row: Float64Array) {
    this.trace(tick, row);
    if (tick % tracedAtOnce === 0) this.curves.forgetBefore((tick - mostTraced - 0.5) / ticksPerSecond);
  }

  private trace(tick: number, row: Float64Array) {
    const bodies = store.description.value?.bodies ?? [];
    this.curves.take(tick / ticksPerSecond, (body) => posesBetween(this.lab.layout, bodies.slice(body, body + 1), row, row, 1)[0], tick % tracedAtOnce === 0);
  }

  // A little at a time, the latest first, while the motion goes on. Whatever leaves for another instant begins it anew.
  private async traceBack(run: number, generation: number): Promise<void> {
    const { layout } = this.lab;
    const { tick, begin } = store.standing.value;
    const oldest = Math.max(begin, stretchOf(tick) - mostTraced);
    for (let last = tick; last >= oldest && this.curves.marks.length; last = stretchOf(last) - 1) {
      const first = Math.max(oldest, stretchOf(last));
      const answered = await this.lab.attempt({ do: 'table', first, last });
      if (run !== this.tracedIn || !answered) return;
      if (generation !== this.lab.generation || layout !== this.lab.layout) return this.traceAgain();
      const { width } = answered.answer;
      const rows = Array.from({ length: last - first + 1 }, (_, i) => answered.row.subarray(i * width, (i + 1) * width));
      this.curves.before(() => rows.forEach((row, i) => this.trace(first + i, row)));
      if (last === tick) this.takeWaiting(tick);
    }
  }

  private takeWaiting(behind: number) {
    const rows = this.waiting ?? [];
    this.waiting = null;
    for (const { tick, row } of rows) if (tick > behind) this.traceNext(tick, row);
  }
}
