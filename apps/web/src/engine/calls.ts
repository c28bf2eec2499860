// A wasm module of ours as an object: requests and answers as JSON, numbers in rows.
import { Mistakes } from './mistakes';

export interface CallModule {
  _catena_call(request: number): number;
  _catena_rows(): number;
  _catena_row_values(): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  HEAPF64: Float64Array;
}

// `instantiateWasm` makes the instance from what the page has compiled, and hands it over.
export type Create<M> = (options: { instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void): object }) => Promise<M>;

export function instantiated<M>(create: Create<M>, wasm: WebAssembly.Module): Promise<M> {
  return new Promise((resolve, reject) => {
    const instantiateWasm: Parameters<Create<M>>[0]['instantiateWasm'] = (imports, done) => {
      WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm), reject);
      return {};
    };
    create({ instantiateWasm }).then(resolve, reject);
  });
}

export class Calls<M extends CallModule> {
  constructor(protected readonly module: M) {}

  protected ask(request: object): unknown {
    const text = JSON.stringify(request);
    const bytes = this.module.lengthBytesUTF8(text) + 1;
    const pointer = this.module._malloc(bytes);
    this.module.stringToUTF8(text, pointer, bytes);
    const answer = JSON.parse(this.module.UTF8ToString(this.module._catena_call(pointer)));
    this.module._free(pointer);
    if (answer.mistakes) throw new Mistakes(answer.mistakes);
    return answer;
  }

  // All the memory that it has taken, in bytes.
  get memory(): number {
    return this.module.HEAPF64.buffer.byteLength;
  }

  // A copy of what belongs to the last call.
  rows(): Float64Array {
    const start = this.module._catena_rows() / 8;
    return this.module.HEAPF64.slice(start, start + this.module._catena_row_values());
  }
}
