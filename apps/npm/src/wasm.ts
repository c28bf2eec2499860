// The wasm file that lies beside this script: fetched in a browser, read in Node.
export type WasmSource = WebAssembly.Module | BufferSource | string | URL;

const beside = () => new URL(/* @vite-ignore */ './catena.wasm', import.meta.url);

export async function compiled(source: WasmSource = beside()): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (!(source instanceof URL) && typeof source !== 'string') return WebAssembly.compile(source);
  const address = new URL(source, import.meta.url);
  if (address.protocol !== 'file:') return WebAssembly.compile(await (await found(address)).arrayBuffer());
  const files = 'node:fs/promises'; // a name that bundlers for browsers do not follow
  const { readFile } = (await import(/* @vite-ignore */ files)) as typeof import('node:fs/promises');
  return WebAssembly.compile(await readFile(address));
}

async function found(address: URL): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`catena: ${address} cannot be fetched (${answer.status}); serve catena.wasm beside the script, or give its place: load(scene, { wasm })`);
  return answer;
}
