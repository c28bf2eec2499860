// The script that Emscripten writes beside the wasm file.
declare module 'catena-engine/catena.js' {
  export interface EngineModule {
    _catena_call(request: number): number;
    _catena_advance(ticks: number): number;
    _catena_rows(): number;
    _catena_row_values(): number;
    _catena_status(): number;
    _catena_tick(): number;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    UTF8ToString(pointer: number): string;
    stringToUTF8(text: string, pointer: number, bytes: number): void;
    lengthBytesUTF8(text: string): number;
    HEAPF64: Float64Array;
  }
  // `instantiateWasm` makes the instance from what the page has compiled, and hands it over.
  export default function create(options: { instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void): object }): Promise<EngineModule>;
}
