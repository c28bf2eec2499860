// The core, compiled once for every worker of the page: from inside the page where it is one file; else from beside it, while it
// comes, where its host says what it is.
import wasmUrl from 'catena-engine/catena.wasm?url';

export async function compiled(id: string, url: string): Promise<WebAssembly.Module> {
  const inside = document.getElementById(id)?.textContent;
  if (!inside) {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const isSaid = answer.headers.get('content-type')?.startsWith('application/wasm');
    return isSaid ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
  }
  const packed = Uint8Array.from(atob(inside.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

let known: Promise<WebAssembly.Module> | null = null;

export const core = (): Promise<WebAssembly.Module> => (known ??= compiled('catena-wasm', wasmUrl));
