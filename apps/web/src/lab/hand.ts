// A hand on the motion: what stands still is put where the hand is, what runs is pulled along and thrown.
import type { Hold, Point, Request } from '../engine/protocol';
import { gestureOf } from '../gestures';
import { ticksPerSecond } from '../rows';
import { chainsOf } from '../scene/document';
import * as store from '../store';
import { Latest } from './asking';
import type { Lab } from './lab';

export class Hand {
  holding = false; // time stands still meanwhile
  private restingPivot: { chain: number; place: Point; tick: number } | null = null; // let go, and not yet at rest
  private readonly drags = new Latest((request: Request & { do: 'drag' }) => this.sendDrag(request));
  private readonly pulls = new Latest((target: Point) => this.sendPull(target));

  constructor(private readonly lab: Lab) {}

  get busy(): boolean {
    return this.drags.busy !== null || this.pulls.busy !== null;
  }

  // ---- while time stands still

  async hold() {
    this.holding = true;
    await this.lab.settle();
  }

  drag(hold: Hold, target: Point): Promise<void> {
    return this.drags.ask({ do: 'drag', target, ...hold, gesture: gestureOf('drag') });
  }

  async release() {
    await this.drags.busy;
    this.holding = false;
    this.lab.clock.start();
  }

  private async sendDrag(request: Request & { do: 'drag' }): Promise<boolean> {
    await this.lab.settle();
    const answered = await this.lab.attempt(request);
    if (!answered) return false;
    this.lab.takeDrag(answered);
    return true;
  }

  // ---- while time goes on

  // Whether it can be held.
  async grab(hold: Hold, target: Point): Promise<boolean> {
    const answered = await this.lab.attempt({ do: 'hold', target, ...hold, gesture: gestureOf('hold') });
    if (!answered) return false;
    this.lab.describe(answered.answer, answered.row, false);
    this.lab.handle();
    this.lab.past.version++;
    return answered.answer.held;
  }

  pull(target: Point): Promise<void> {
    return this.pulls.ask(target);
  }

  private async sendPull(target: Point): Promise<boolean> {
    const answered = await this.lab.attempt({ do: 'pull', target });
    if (!answered) return false;
    const { tick, begin, end } = answered.answer;
    store.standing.value = { tick, begin, end };
    this.lab.handle();
    this.lab.past.version++;
    return true;
  }

  // It flies on with the velocity it has; a pivot comes to rest where the hand left it.
  async letGo(pivot: { chain: number; place: Point } | null = null) {
    await this.pulls.busy;
    const answered = await this.lab.attempt({ do: 'let_go' });
    if (!answered) return;
    const { answer, row } = answered;
    this.lab.describe(answer, row, true);
    this.lab.handle();
    this.lab.past.version++;
    store.throwing.value = { before: answer.energy_before, after: answer.energy_after };
    if (pivot) this.restingPivot = { ...pivot, tick: answer.tick + Math.ceil(0.5 * ticksPerSecond) };
    this.lab.onChanged();
  }

  forget() {
    this.restingPivot = null;
  }

  // Once a pivot that was let go rests to the last digit, the scene says where.
  restPivot() {
    const resting = this.restingPivot;
    if (!resting || store.standing.value.tick < resting.tick) return;
    this.restingPivot = null;
    void this.lab.edit((doc) => {
      const chain = chainsOf(doc)[resting.chain];
      if (chain) chain.pivot = resting.place;
    }, { automatic: true });
  }
}
