// The worker as the page sees it: requests are answered in the order they were made.
import { Mistakes } from './mistakes';
import EngineWorker from './worker?worker&inline';
import type { AdvanceStatus, Answers, FromWorker, Request, ToWorker } from './protocol';

export interface Batch {
  count: number;
  rows: Float64Array;
  status: AdvanceStatus;
  milliseconds: number;
}

export interface Answered<T> {
  answer: T;
  row: Float64Array;
}

type Pending = { resolve(value: never): void; reject(error: Error): void };
type Message<M> = M extends { id: number } ? Omit<M, 'id'> : never;

export class EngineClient {
  private readonly worker = new EngineWorker();
  private readonly pending = new Map<number, Pending>();
  private last = 0;

  // Takes rows that came before a change was made again.
  early: (batch: Batch) => void = () => undefined;

  constructor() {
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.take(event.data);
    this.worker.onerror = (event) => this.fail(new Error(event.message));
  }

  start(wasm: ArrayBuffer): Promise<void> {
    return this.ask({ kind: 'start', wasm }, [wasm]);
  }

  call<R extends Request>(request: R): Promise<Answered<Answers[R['do']]>> {
    return this.ask({ kind: 'call', request });
  }

  advance(ticks: number, budget: number): Promise<Batch> {
    return this.ask({ kind: 'advance', ticks, budget });
  }

  private ask<T>(message: Message<ToWorker>, transfer: Transferable[] = []): Promise<T> {
    const id = ++this.last;
    this.worker.postMessage({ ...message, id }, transfer);
    return new Promise<T>((resolve, reject) => this.pending.set(id, { resolve, reject } as Pending));
  }

  private take(message: FromWorker) {
    if (message.id === -1 && message.kind === 'rows') {
      this.early(message);
      return;
    }
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.kind === 'mistakes') pending?.reject(new Mistakes(message.mistakes));
    else pending?.resolve(message as never);
  }

  private fail(error: Error) {
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }
}
