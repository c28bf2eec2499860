// The wasm core as an object. The worker uses it, and so do tests in Node.
import create, { type EngineModule } from 'catena-engine/catena.js';
import { Mistakes } from './mistakes';
import type { AdvanceStatus, Answers, Request } from './protocol';

export class Engine {
  private constructor(private readonly module: EngineModule) {}

  static start(wasm: WebAssembly.Module): Promise<Engine> {
    return new Promise((resolve, reject) => {
      const instantiateWasm: Parameters<typeof create>[0]['instantiateWasm'] = (imports, done) => {
        WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm), reject);
        return {};
      };
      create({ instantiateWasm }).then((module) => resolve(new Engine(module)), reject);
    });
  }

  call<R extends Request>(request: R): Answers[R['do']] {
    const text = JSON.stringify(request);
    const bytes = this.module.lengthBytesUTF8(text) + 1;
    const pointer = this.module._malloc(bytes);
    this.module.stringToUTF8(text, pointer, bytes);
    const answer = JSON.parse(this.module.UTF8ToString(this.module._catena_call(pointer)));
    this.module._free(pointer);
    if (answer.mistakes) throw new Mistakes(answer.mistakes);
    return answer;
  }

  // The number of ticks done; their rows are in rows().
  advance(ticks: number): number {
    return this.module._catena_advance(ticks);
  }

  // Where it stands.
  get tick(): number {
    return this.module._catena_tick();
  }

  // All the memory that it has taken, in bytes.
  get memory(): number {
    return this.module.HEAPF64.buffer.byteLength;
  }

  get status(): AdvanceStatus {
    return this.module._catena_status();
  }

  // A copy: of the last advance, or the present row after a call.
  rows(): Float64Array {
    const start = this.module._catena_rows() / 8;
    return this.module.HEAPF64.slice(start, start + this.module._catena_row_values());
  }
}
