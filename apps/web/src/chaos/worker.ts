// The tools of chaos in a thread of their own; a pool has one for each core.
import { ChaosEngine } from '../engine/chaos';
import type { ChaosRequest } from '../engine/chaos-protocol';
import { Mistakes } from '../engine/mistakes';

export type ToChaos = { id: number; wasm: WebAssembly.Module } | { id: number; request: ChaosRequest };
export type FromChaos = { id: number; answer: unknown; rows: Float64Array } | { id: number; mistakes: string[] } | { id: number; died: string };

let engine: Promise<ChaosEngine> = Promise.reject(new Error('not started'));
engine.catch(() => undefined); // told to whoever asks

async function handle(message: ToChaos): Promise<FromChaos> {
  if ('wasm' in message) {
    engine = ChaosEngine.start(message.wasm);
    await engine;
    return { id: message.id, answer: {}, rows: new Float64Array() };
  }
  const tools = await engine;
  const answer = tools.call(message.request);
  return { id: message.id, answer, rows: tools.rows() };
}

self.onmessage = ({ data }: MessageEvent<ToChaos>) => {
  const say = (message: FromChaos) => (self as unknown as Worker).postMessage(message);
  // Whatever is not a mistake in what was asked leaves the tools in a state that nobody knows.
  handle(data).then(say, (error: unknown) => say(error instanceof Mistakes ? { id: data.id, mistakes: error.mistakes } : { id: data.id, died: String(error) }));
};
