// Workers with the tools of chaos, as many as there are cores; they and their engine are loaded when somebody asks for them.
import wasmUrl from 'catena-engine/catena-chaos.wasm?url';
import type { ChaosAnswers, ChaosRequest } from '../engine/chaos-protocol';
import { compiled } from '../engine/core';
import { Lost, Mistakes } from '../engine/mistakes';
import * as store from '../store';
import { t } from '../texts';
import ToolsWorker from './worker?worker&inline';
import type { FromChaos, ToChaos } from './worker';

type Wish = ToChaos extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never;

export interface Told<R extends ChaosRequest> {
  answer: ChaosAnswers[R['do']];
  rows: Float64Array;
}

// What one who asks for several things in a row asks by: once the worker has died, all that was built up in it is gone.
export interface Lease {
  ask<R extends ChaosRequest>(request: R): Promise<Told<R>>;
}

export class ChaosWorker {
  private deaths: string[] = []; // why
  private worker!: Worker;
  private readonly pending = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  private last = 0;

  constructor(private readonly wasm: WebAssembly.Module) {
    this.listen();
  }

  private listen() {
    this.worker = new ToolsWorker();
    this.worker.onmessage = ({ data }: MessageEvent<FromChaos>) => {
      if ('died' in data) return this.restart(data.died);
      const one = this.pending.get(data.id);
      this.pending.delete(data.id);
      if ('mistakes' in data) one?.reject(new Mistakes(data.mistakes));
      else one?.resolve(data as never);
    };
    this.worker.onerror = (event) => this.restart(event.message);
  }

  lease(): Lease {
    const lived = this.deaths.length;
    const ask = async <R extends ChaosRequest>(request: R): Promise<Told<R>> => {
      if (this.deaths.length > lived) throw new Lost(this.deaths.at(-1));
      return this.send({ request } as Wish);
    };
    return { ask };
  }

  start(): Promise<unknown> {
    return this.send({ wasm: this.wasm } as Wish);
  }

  // It has died: a fresh one takes its place, which knows nothing. Whoever asked begins again from where he was.
  restart(reason: string) {
    this.deaths.push(reason);
    this.worker.terminate();
    const lost = [...this.pending.values()];
    this.pending.clear();
    this.listen();
    this.start().catch(() => undefined); // what is asked behind it is told
    for (const { reject } of lost) reject(new Lost(reason));
  }

  private send<T>(message: Wish): Promise<T> {
    const id = ++this.last;
    this.worker.postMessage({ id, ...message });
    return new Promise<T>((resolve, reject) => this.pending.set(id, { resolve, reject } as never));
  }
}

let all: Promise<ChaosWorker[]> | null = null;

const cores = () => Math.max(1, Math.min(16, navigator.hardwareConcurrency || 2));

async function makeAll(): Promise<ChaosWorker[]> {
  const wasm = await compiled('catena-chaos-wasm', wasmUrl);
  const workers = Array.from({ length: cores() }, () => new ChaosWorker(wasm));
  await Promise.all(workers.map((worker) => worker.start()));
  return workers;
}

export function pool(): Promise<ChaosWorker[]> {
  all ??= makeAll();
  all.catch(() => (all = null)); // it may be there another time
  return all;
}

export const reasonOf = (error: unknown): string => (error instanceof Mistakes ? error.mistakes.join('\n') : error instanceof Lost ? t('chaos.lost', { reason: error.message }) : String(error));

const mostDeaths = 3;

// Once more from where it was for a worker that died meanwhile, with a word; what kills it again and again ends.
export async function whateverDies(act: (again: boolean) => Promise<void>): Promise<void> {
  for (let deaths = 0; ; ) {
    try {
      return await act(deaths > 0);
    } catch (error) {
      if (!(error instanceof Lost) || ++deaths >= mostDeaths) throw error;
      store.notify('warning', t('chaos.died', { reason: error.message }), 30);
    }
  }
}
