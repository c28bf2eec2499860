// What stands at the axes of plots: as many digits as tell values apart, and room for them.
import { expect, test } from 'vitest';
import { extent } from '../../src/plots/chart';
import { segmentsOf, textOfTick, ticksOf, titleFrom, type Axis } from '../../src/plots/draw';
import { sagOf } from '../../src/view/ropes';

const axis = (from: number, to: number): Axis => ({ title: 'θ [rad]', range: [from, to], log: false, turns: false });

test.each([
  [0, 5],
  [-1e-14, 2e-14],
  [1.0471975, 1.0471977],
  [-3600.002, -3600],
  [3599.99, 3600.01],
  [2.5e7, 2.5e7 + 3],
  [1e-7, 1.0001e-7],
  [6.99e6, 7.01e6],
])('ticks from %d to %d are all different, short, and right', (from, to) => {
  const shown = axis(from, to);
  const ticks = ticksOf(shown, 6);
  expect(ticks.length).toBeGreaterThan(2);
  const texts = ticks.map((tick) => textOfTick(tick, shown));
  expect(new Set(texts).size).toBe(ticks.length);
  for (const text of texts) expect(text.length, text).toBeLessThanOrEqual(7);
  // With what the title says to add, they are the values.
  const base = / ([−+]) ([\d.e+-]+) \[rad\]$/.exec(titleFrom(shown));
  const added = base ? (base[1] === '−' ? 1 : -1) * Number(base[2]) : 0;
  ticks.forEach((tick, i) => expect(Math.abs(Number(texts[i]!.replaceAll('−', '-')) + added - tick)).toBeLessThan(0.02 * (to - from)));
});

test('what differs by roundoff alone is a level line in a range of its own size', () => {
  const [low, high] = extent([[1.0471975511965976, 1.0471975511965979]], false);
  expect(high - low).toBeCloseTo(0.1 * 1.0471975, 6);
  expect(extent([[0, 0]], false)[1]).toBeGreaterThan(0);
  const [a, b] = extent([[-1e-15, 3e-15]], false); // small itself, as errors are
  expect(b - a).toBeLessThan(1e-14);
});

test('an angle that goes over the edge of its turn is not joined to where it comes back, beside lines in metres too', () => {
  const chart = { x: axis(-4, 4), y: axis(-4, 4) };
  const x = [3.0, 3.1, -3.1, -3.0];
  const y = [0, 1, 2, 3];
  expect(segmentsOf(chart, { x, y, turns: { x: true, y: false } })).toEqual([[0, 1], [2, 3]]);
  expect(segmentsOf(chart, { x, y, turns: { x: false, y: false } })).toHaveLength(3); // metres
});

test.each([
  [1e-12, 1, 4],
  [0.3, 40, 3],
  [2.1, 7.9, 2],
  [3.1, 3.4, 2],
  [9.95, 10.05, 2],
  [1e-15, 3e-15, 2],
])('a logarithmic axis from %d to %d has at least %i ticks, with what stands there', (from, to, least) => {
  const shown = { ...axis(from, to), log: true };
  const ticks = ticksOf(shown, 6);
  expect(ticks.length).toBeGreaterThanOrEqual(least);
  expect(ticks.length).toBeLessThanOrEqual(8);
  for (const tick of ticks) {
    expect(tick).toBeGreaterThanOrEqual(from * (1 - 1e-9));
    expect(tick).toBeLessThanOrEqual(to * (1 + 1e-9));
    expect(Number(textOfTick(tick, shown).replaceAll('−', '-')) / tick).toBeCloseTo(1, 6);
  }
});

test('a slack rope hangs as deep as its length says', () => {
  for (const [length, span] of [[1, 0.99], [1, 0.6], [2, 0.1]] as const) {
    const sag = sagOf(length, span);
    // The length of the parabola, by small pieces.
    const n = 20_000;
    let sum = 0;
    for (let i = 0; i < n; i++) sum += Math.hypot(span / n, 4 * sag * ((i + 1) / n) * (1 - (i + 1) / n) - 4 * sag * (i / n) * (1 - i / n));
    expect(sum).toBeCloseTo(length, 6);
  }
  expect(sagOf(1, 1)).toBe(0);
  expect(sagOf(1, 1.2)).toBe(0);
});
