// Requests to the engine whose mistakes are told, and how many of them are on their way.
import type { Answered, EngineClient } from '../engine/client';
import { Lost, Mistakes } from '../engine/mistakes';
import type { Answers, Request } from '../engine/protocol';
import * as store from '../store';

export class Asking {
  private asked = 0;

  constructor(readonly client: EngineClient) {}

  get busy(): boolean {
    return this.asked > 0;
  }

  // Null: it was refused, and why was told.
  async attempt<R extends Request>(request: R): Promise<Answered<Answers[R['do']]> | null> {
    const { answered, mistakes } = await this.attemptQuietly(request);
    for (const text of mistakes) store.notify('mistake', text);
    return answered;
  }

  async attemptQuietly<R extends Request>(request: R): Promise<{ answered: Answered<Answers[R['do']]> | null; mistakes: string[] }> {
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
}

// The latest of quick wishes, one at a time: while one is on its way, others replace the next.
export class Latest<Wish> {
  private waiting: { wish: Wish } | null = null;
  private sending: Promise<void> | null = null;

  // `fulfil` says whether to go on.
  constructor(private readonly fulfil: (wish: Wish) => Promise<boolean>) {}

  get busy(): Promise<void> | null {
    return this.sending;
  }

  // Whether there is a later one than the one on its way.
  get waits(): boolean {
    return this.waiting !== null;
  }

  ask(wish: Wish): Promise<void> {
    this.waiting = { wish };
    this.sending ??= this.send().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  private async send() {
    while (this.waiting) {
      const { wish } = this.waiting;
      this.waiting = null;
      if (!(await this.fulfil(wish))) return;
    }
  }
}
