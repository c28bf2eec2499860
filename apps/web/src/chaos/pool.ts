// Workers with the tools of chaos, as many as there are cores; they and their engine are loaded when somebody asks for them.
import wasmUrl from 'catena-engine/catena-chaos.wasm?url';
import type { ChaosAnswers, ChaosRequest } from '../engine/chaos-protocol';
import { compiled } from '../engine/core';
import { Mistakes } from '../engine/mistakes';
import ToolsWorker from './worker?worker&inline';
import type { FromChaos, ToChaos } from './worker';

type Wish = ToChaos extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never;

export interface Told<R extends ChaosRequest> {
  answer: ChaosAnswers[R['do']];
  rows: Float64Array;
}

export class ChaosWorker {
  private readonly worker = new ToolsWorker();
  private readonly pending = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  private last = 0;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<FromChaos>) => {
      const one = this.pending.get(data.id);
      this.pending.delete(data.id);
      if ('mistakes' in data) one?.reject(new Mistakes(data.mistakes));
      else one?.resolve(data as never);
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.pending.values()) reject(new Error(event.message));
      this.pending.clear();
    };
  }

  ask<R extends ChaosRequest>(request: R): Promise<Told<R>> {
    return this.send({ request } as Wish);
  }

  start(wasm: WebAssembly.Module): Promise<unknown> {
    return this.send({ wasm } as Wish);
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
  const workers = Array.from({ length: cores() }, () => new ChaosWorker());
  await Promise.all(workers.map((worker) => worker.start(wasm)));
  return workers;
}

export function pool(): Promise<ChaosWorker[]> {
  all ??= makeAll();
  all.catch(() => (all = null)); // it may be there another time
  return all;
}

export const reasonOf = (error: unknown): string => (error instanceof Mistakes ? error.mistakes.join('\n') : String(error));
