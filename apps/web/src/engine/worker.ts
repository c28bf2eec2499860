// The engine in a thread of its own, so that the page stays responsive however long a step takes.
import { Engine } from './engine';
import { Mistakes } from './mistakes';
import { AdvanceStatus, type FromWorker, type ToWorker } from './protocol';

let starting: Promise<Engine> = Promise.reject(new Error('the engine is not started'));
starting.catch(() => undefined); // told to whoever asks

function say(message: FromWorker, transfer: Transferable[] = []) {
  (self as unknown as Worker).postMessage(message, transfer);
}

function joined(parts: Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// In batches, between which the clock is looked at.
function advance(of: Engine, id: number, ticks: number, budget: number) {
  const start = performance.now();
  const parts: Float64Array[] = [];
  let count = 0;
  let status = AdvanceStatus.done;
  while (count < ticks && status === AdvanceStatus.done) {
    const done = of.advance(Math.min(4, ticks - count));
    status = of.status;
    if (status === AdvanceStatus.redone && count > 0 && done > 0) {
      // Its columns may be others: this row alone, and what came before is on its way already.
      const before = joined(parts);
      say({ id: -1, kind: 'rows', count, rows: before, status: AdvanceStatus.done, milliseconds: 0, tick: of.tick - done }, [before.buffer]);
      parts.length = 0;
      count = 0;
    }
    count += done;
    parts.push(of.rows());
    if (performance.now() - start > budget) break;
  }
  const rows = joined(parts.length ? parts : [new Float64Array()]);
  const milliseconds = performance.now() - start;
  say({ id, kind: 'rows', count, rows, status, milliseconds, tick: of.tick }, [rows.buffer]);
}

async function handle(message: ToWorker) {
  const { id } = message;
  if (message.kind === 'start') starting = Engine.start(message.wasm);
  const engine = await starting; // whoever asks meanwhile waits, in turn
  if (message.kind === 'start') {
    say({ id, kind: 'started' });
    return;
  }
  if (message.kind === 'memory') {
    say({ id, kind: 'memory', bytes: engine.memory });
    return;
  }
  if (message.kind === 'advance') {
    advance(engine, id, message.ticks, message.budget);
    return;
  }
  const answer = engine.call(message.request);
  const row = engine.rows();
  say({ id, kind: 'answer', answer, row }, [row.buffer]);
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  handle(event.data).catch((error: unknown) => {
    // Whatever is not a mistake in what was asked leaves the engine in a state that nobody knows.
    if (error instanceof Mistakes) say({ id: event.data.id, kind: 'mistakes', mistakes: error.mistakes });
    else say({ id: event.data.id, kind: 'died', reason: String(error) });
  });
};
