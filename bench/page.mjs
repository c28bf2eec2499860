// The lab's engine as the page runs it: WebAssembly in Node, and what the page has to load.
//
// usage: node bench/page.mjs [--quick] [--only PROBLEM]      one JSON line per measurement, as bench/measure.h has them
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'build/wasm/apps/web/engine');
const quick = process.argv.includes('--quick');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : '';
const ticksPerSecond = 120;

async function startEngine(wasm) {
  const { default: create } = await import(pathToFileURL(path.join(folder, 'catena.js')).href);
  const module = await create({ wasmBinary: wasm });
  const call = (request) => {
    const text = JSON.stringify(request);
    const bytes = module.lengthBytesUTF8(text) + 1;
    const pointer = module._malloc(bytes);
    module.stringToUTF8(text, pointer, bytes);
    const answer = JSON.parse(module.UTF8ToString(module._catena_call(pointer)));
    module._free(pointer);
    if (answer.mistakes) throw new Error(answer.mistakes.join('\n'));
    return answer;
  };
  return { call, advance: (ticks) => module._catena_advance(ticks) };
}

// Processor time, which a busy machine does not lengthen.
function cpuSeconds(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return 1e-6 * (user + system);
}

// The page's own chain, let go from rest.
const chain = (links, tolerance) =>
  JSON.stringify({
    simulation: { duration: 40, method: 'taylor', tolerance },
    chain: { kind: 'rigid', links: [{ length: 1, mass: 1, theta: links > 20 ? '90 deg' : '120 deg', repeat: links }] },
  });

function second(engine) {
  for (let tick = 0; tick < ticksPerSecond; tick += 4) {
    if (engine.advance(4) !== 4) throw new Error('the motion failed');
  }
}

// Seconds of computing per second of motion, rows for the page included: on average, and in the dearest second.
function costOf(engine, links, tolerance, seconds) {
  let best = null;
  // The first round lets the compiler warm up.
  for (let round = 0; round < (quick ? 2 : 3); round++) {
    engine.call({ do: 'load', text: chain(links, tolerance), name: 'chain' });
    const costs = Array.from({ length: seconds }, () => cpuSeconds(() => second(engine)));
    const mean = costs.reduce((a, b) => a + b) / seconds;
    if (!best || mean < best.mean) best = { mean, worst: Math.max(...costs) };
  }
  return best;
}

function say(line) {
  console.log(JSON.stringify({ peer: 'page', ...line }));
}

if (!existsSync(path.join(folder, 'catena.wasm'))) {
  console.error('bench/page.mjs: the engine is not built; ./dev web builds it');
  process.exit(1);
}
const wasm = readFileSync(path.join(folder, 'catena.wasm'));
const engine = await startEngine(wasm);
if (!only || only === 'page-frame') {
  for (const [links, tolerance, seconds] of [[10, 1e-12, 20], [100, 1e-12, 10], [500, 1e-12, 20], [500, 1e-9, 20], [500, 1e-6, 20]]) {
    const { mean, worst } = costOf(engine, links, tolerance, quick ? 2 : seconds);
    say({ peer: `page, tolerance ${tolerance}`, problem: 'page-frame', n: links, seconds: mean / 60, 'ms per frame': (1000 * mean) / 60, 'worst second': (1000 * worst) / 60, 'times real time': 1 / mean });
  }
}
if (!only || only === 'page-size') {
  const script = path.join(root, 'build/web/page/lab.js');
  const packed = (bytes) => gzipSync(bytes, { level: 9 }).length / 1e6;
  say({ problem: 'page-size', seconds: 0, 'wasm MB': wasm.length / 1e6, 'wasm gzip MB': packed(wasm), ...(existsSync(script) ? { 'script gzip MB': packed(readFileSync(script)) } : {}) });
}
