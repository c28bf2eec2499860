// The tools of chaos as an object. Workers of a pool use it, and so do tests in Node.
import create from 'catena-engine/catena-chaos.js';
import { Calls, instantiated, type CallModule } from './calls';
import type { ChaosAnswers, ChaosRequest } from './chaos-protocol';

export class ChaosEngine extends Calls<CallModule> {
  static async start(wasm: WebAssembly.Module): Promise<ChaosEngine> {
    return new ChaosEngine(await instantiated(create, wasm));
  }

  call<R extends ChaosRequest>(request: R): ChaosAnswers[R['do']] {
    return this.ask(request) as ChaosAnswers[R['do']];
  }
}
