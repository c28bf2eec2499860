// The wasm core as an object. The worker uses it, and so do tests in Node.
import create from 'catena-engine/catena.js';
import { Calls, instantiated, type CallModule } from './calls';
import type { AdvanceStatus, Answers, Request } from './protocol';

export interface EngineModule extends CallModule {
  _catena_advance(ticks: number): number;
  _catena_status(): number;
  _catena_tick(): number;
}

export class Engine extends Calls<EngineModule> {
  static async start(wasm: WebAssembly.Module): Promise<Engine> {
    return new Engine(await instantiated(create, wasm));
  }

  call<R extends Request>(request: R): Answers[R['do']] {
    return this.ask(request) as Answers[R['do']];
  }

  // The number of ticks done; their rows are in rows(), and after a call the present one.
  advance(ticks: number): number {
    return this.module._catena_advance(ticks);
  }

  // Where it stands.
  get tick(): number {
    return this.module._catena_tick();
  }

  get status(): AdvanceStatus {
    return this.module._catena_status();
  }
}
