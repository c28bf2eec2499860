// What is on the screen, how far the engine is ahead of it, and whether it keeps up.
import { ticksPerSecond } from '../rows';

const longestBeat = 0.5; // s
const mostOwed = 0.3; // s of time that came late and is made up for
const recentRows = 600; // more than are ever computed ahead of what is shown

export interface Row {
  tick: number;
  row: Float64Array;
}

export class Clock {
  at = 0; // in ticks: what is shown
  cost = 0; // ms of physics per tick
  reached = 1; // part of the wished speed
  private recent: Row[] = [];
  private measured = true; // from the first rows on, as if they had cost nothing
  private lastBeat = 0;
  private owed = 0; // ticks that came late
  private longestWish = 0; // of late: ticks from one beat to the next

  start() {
    this.lastBeat = this.owed = 0;
  }

  // Seconds since the last beat. A page that was hidden does not leap.
  elapsed(now: number): number {
    const elapsed = this.lastBeat ? Math.min(longestBeat, (now - this.lastBeat) / 1000) : 1 / 60;
    if (elapsed > 0) this.lastBeat = now;
    return elapsed;
  }

  // Moves on as far as there are rows, and says how many more ticks it takes to be one frame ahead, as long as those of
  // late, so that the next one finds what it needs.
  moveOn(elapsed: number, speed: number, computed: number): number {
    const wish = elapsed * speed * ticksPerSecond;
    const wanted = this.at + wish + this.owed;
    const reached = Math.max(this.at, Math.min(wanted, computed));
    this.reached = 0.95 * this.reached + 0.05 * Math.min(1, (reached - this.at) / wish);
    this.at = reached;
    this.owed = Math.min(wanted - reached, mostOwed * speed * ticksPerSecond);
    this.longestWish = Math.max(wish, 0.9 * this.longestWish);
    return Math.ceil(this.at + this.owed + wish + this.longestWish) - computed;
  }

  // ms of physics in a second on the screen.
  load(speed: number): number {
    return this.cost * ticksPerSecond * speed;
  }

  // Another present: `goesOn` keeps what is still to be shown before it.
  stand(tick: number, row: Float64Array, goesOn: boolean) {
    this.recent = goesOn ? [...this.recent.filter((one) => one.tick < tick), { tick, row }] : [{ tick, row }];
  }

  take(rows: Row[], milliseconds: number) {
    this.recent.push(...rows);
    this.recent.splice(0, this.recent.length - recentRows);
    if (!rows.length) return;
    const now = milliseconds / rows.length;
    this.cost = this.measured ? 0.9 * this.cost + 0.1 * now : now;
    this.measured = true;
  }

  // What was measured is of something else.
  measureAgain() {
    this.measured = false;
    this.cost = 0;
  }

  // Rows on both sides of the clock, and how far between them it is; `last`: where there are none.
  around(last: Float64Array): { from: Float64Array; to: Float64Array; part: number } {
    const upper = Math.ceil(this.at);
    const to = this.recent.find(({ tick }) => tick === upper);
    const from = this.recent.find(({ tick }) => tick === upper - 1);
    if (!to) return { from: last, to: last, part: 1 };
    return { from: (from ?? to).row, to: to.row, part: from ? 1 - (upper - this.at) : 1 };
  }
}
