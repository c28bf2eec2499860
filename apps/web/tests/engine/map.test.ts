// What a flip map costs: the tasks that the page's workers are given, in Node, by processor time.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ChaosEngine } from '../../src/engine/chaos';
import { engineFolder, root } from '../../paths.ts';
import { shippedScene } from '../support';

const seconds = (used: NodeJS.CpuUsage) => (used.user + used.system) / 1e6;

// Half of it is computed, the other half being its mirror image. Of two cores each has a half of that.
test('a flip map of 256 x 256 starts over 10 s takes at most 20 s of each of two cores, and its first picture 2 s', async () => {
  const n = 256;
  const engine = await ChaosEngine.start(new WebAssembly.Module(readFileSync(path.join(engineFolder, 'catena-chaos.wasm'))));
  const sweep = readFileSync(path.join(root, 'sweeps/flip-map.toml'), 'utf8').replaceAll(/count = \d+/g, `count = ${n}`).replace(/simulation\.duration=[\d.]+/, 'simulation.duration=10');
  expect(engine.call({ do: 'map', text: shippedScene('double-pendulum'), sweep }).shape).toEqual([n, n]);
  const used = (first: [number, number], count: [number, number], apart: number) => {
    const before = process.cpuUsage();
    const { cases } = engine.call({ do: 'tile', first, count, apart: [apart, apart] });
    return { cases, time: seconds(process.cpuUsage(before)) };
  };
  const coarse = used([0, 0], [n / 32, n / 16], 16);
  expect(coarse.cases).toBe(n * n / 512);
  // One in sixteen of the rest, row by row, twice: what others do to the caches counts once.
  const sample = () => Array.from({ length: n / 32 }, (_, k) => used([16 * k + 5, k % 2], [1, n / 2], 2)).reduce((sum, { cases, time }) => ({ cases: sum.cases + cases, time: sum.time + time }), { cases: 0, time: 0 });
  const [first, second] = [sample(), sample()];
  const whole = (Math.min(first.time / first.cases, second.time / second.cases) * n * n) / 2;
  console.info(`flip map ${n} x ${n}: ${whole.toFixed(1)} s of processor time, ${(whole / 2).toFixed(1)} s on two cores; first picture ${coarse.time.toFixed(2)} s`);
  expect(whole / 2).toBeLessThanOrEqual(20);
  expect(coarse.time).toBeLessThanOrEqual(2);
});
