// The worker as the page sees it: requests are answered in the order they were made.
import { Lost, Mistakes } from './mistakes';
import EngineWorker from './worker?worker&inline';
import type { AdvanceStatus, Answers, FromWorker, Request, ToWorker } from './protocol';

export interface Batch {
  count: number;
  rows: Float64Array;
  status: AdvanceStatus;
  milliseconds: number;
  tick: number; // where the engine stands after them
}

export interface Answered<T> {
  answer: T;
  row: Float64Array;
}

type Pending = { resolve(value: never): void; reject(error: Error): void };
type Message<M> = M extends { id: number } ? Omit<M, 'id'> : never;

export class EngineClient {
  private worker!: Worker;
  private wasm: WebAssembly.Module | null = null;
  private readonly pending = new Map<number, Pending>();
  private last = 0;
  private restarting = false;
  private diedAgain = false; // while it was restarted
  private empty = false; // since then it was told no scene: nothing else can be asked of it

  // Takes rows that came before a change was made again.
  early: (batch: Batch) => void = () => undefined;
  // The engine has died and was started afresh: it knows nothing. `anew`: what it was given then killed it again.
  revived: (reason: string, anew: boolean) => Promise<void> = async () => undefined;
  // It cannot be started any more.
  lost: (reason: string) => void = () => undefined;

  constructor() {
    this.listen();
  }

  private listen() {
    this.worker = new EngineWorker();
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.take(event.data);
    this.worker.onerror = (event) => this.restart(event.message);
  }

  start(wasm: WebAssembly.Module): Promise<void> {
    this.wasm = wasm;
    return this.ask({ kind: 'start', wasm });
  }

  async call<R extends Request>(request: R): Promise<Answered<Answers[R['do']]>> {
    if (request.do === 'load' || request.do === 'restore') this.empty = false;
    this.refuseWhileEmpty();
    return this.ask({ kind: 'call', request });
  }

  async advance(ticks: number, budget: number): Promise<Batch> {
    this.refuseWhileEmpty();
    return this.ask({ kind: 'advance', ticks, budget });
  }

  private refuseWhileEmpty() {
    if (this.empty) throw new Lost('the engine is started again');
  }

  // All the memory that the engine has taken, in bytes.
  async memory(): Promise<number> {
    return (await this.ask<{ bytes: number }>({ kind: 'memory' })).bytes;
  }

  private ask<T>(message: Message<ToWorker>, transfer: Transferable[] = []): Promise<T> {
    const id = ++this.last;
    this.worker.postMessage({ ...message, id }, transfer);
    return new Promise<T>((resolve, reject) => this.pending.set(id, { resolve, reject } as Pending));
  }

  private take(message: FromWorker) {
    if (message.kind === 'rows' && message.id === -1) {
      this.early(message);
      return;
    }
    if (message.kind === 'died') {
      this.restart(message.reason);
      return;
    }
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.kind === 'mistakes') pending?.reject(new Mistakes(message.mistakes));
    else pending?.resolve(message as never);
  }

  // What was on its way is lost.
  restart(reason: string) {
    this.worker.terminate();
    for (const { reject } of this.pending.values()) reject(new Lost(reason));
    this.pending.clear();
    this.listen();
    this.diedAgain = this.empty = true;
    if (this.wasm && !this.restarting) void this.comeBack(this.wasm, reason);
  }

  private async comeBack(wasm: WebAssembly.Module, reason: string) {
    this.restarting = true;
    for (let attempt = 0; this.diedAgain && attempt < 3; attempt++) {
      this.diedAgain = false;
      await this.start(wasm).then(() => this.revived(reason, attempt > 0)).catch(() => undefined); // it died meanwhile
    }
    this.restarting = false;
    if (this.diedAgain) this.lost(reason);
  }
}
