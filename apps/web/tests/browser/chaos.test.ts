// Chaos on the page: maps by a pool of workers, exponents, sections, bifurcation diagrams.
import paths from 'node:path';
import { expect, test } from 'vitest';
import { lab, withLab } from './page';

withLab();

const pictures = process.env.CATENA_PICTURES;

const picture = () => lab.page.evaluate(() => {
  const of = globalThis.catenaLab.chaosMap.picture.value!;
  return { shape: of.shape, values: Array.from(of.values, (value) => (Number.isFinite(value) ? value : null)), status: Array.from(of.status), known: Array.from(of.known), axes: of.axes.map(({ values }) => values) };
});
const rest = (what: 'spectrum' | 'section' | 'diagram') => lab.page.waitForFunction((which) => !globalThis.catenaLab.chaosTools[which].work.running.value, what);
const refusal = (what: 'spectrum' | 'section' | 'diagram') => lab.page.evaluate((which) => globalThis.catenaLab.chaosTools[which].work.refusal.value, what);

test('a flip map comes from coarse to fine, is symmetric, and white where no start has the energy', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('chaos');
  await lab.page.selectOption('[data-control=map-size]', '64');
  await lab.press('compute-map');
  await lab.page.waitForFunction(() => globalThis.catenaLab.chaosMap.firstCoarse.value !== null);
  const early = await picture();
  expect(early.known.filter((size) => size === 16).length + early.known.filter((size) => size && size < 16).length).toBeGreaterThanOrEqual(16);
  await lab.page.waitForFunction(() => globalThis.catenaLab.chaosMap.finished.value !== null);
  const { shape: [n, m], values, status, known, axes } = await picture();
  console.info(`flip map ${n} x ${m}: ${await lab.page.textContent('[data-shows=map-time]')}`);
  expect(known.every((size) => size > 0)).toBe(true);
  let flips = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const [at, opposite] = [i * m + j, (n - 1 - i) * m + m - 1 - j];
      if (2 * Math.cos(axes[0]![i]!) + Math.cos(axes[1]![j]!) > 1 + 1e-9) expect(status[at]).toBe(2);
      if (values[at] === null || values[at]! > 3) continue; // later ones are chaotic
      flips++;
      expect(values[opposite]).toBeCloseTo(values[at]!, 6);
    }
  }
  expect(flips).toBeGreaterThan(500);
  // The line of the energy limit is drawn where 2 cos a + cos b = 1, and nowhere else.
  const drawn = (await lab.page.getAttribute('[data-shows=map-lines] path', 'd'))!;
  const ends = [...drawn.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  expect(ends.length).toBeGreaterThan(60);
  const along = (axis: number, place: number) => axes[axis]![0]! + (place - 0.5) * (axes[axis]![1]! - axes[axis]![0]!);
  // Straight between pixels 0.1 rad apart, of a function that bends by at most 2: h^2/8 * 2, and as much for the second axis.
  for (const [x, y] of ends) expect(Math.abs(2 * Math.cos(along(0, x)) + Math.cos(along(1, m - y)) - 1)).toBeLessThan(0.006);
  const [lines, whole] = await Promise.all(['[data-shows=map-lines]', '[data-shows=map]'].map(async (one) => (await lab.page.locator(one).boundingBox())!));
  expect(Math.hypot(lines!.x - whole!.x, lines!.y - whole!.y, lines!.width - whole!.width, lines!.height - whole!.height)).toBeLessThan(4);
  expect(await lab.page.textContent('[data-shows=map-limit]')).toContain('flip');
  if (pictures) await lab.page.locator('.map').first().screenshot({ path: paths.join(pictures, 'flip-map.png') });
  // Its pixels: colours where there are flips, white where there are none.
  const colors = await lab.page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-shows=map]')!;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    return { middle: [...data.slice(4 * (32 * 64 + 32), 4 * (32 * 64 + 32) + 3)], corner: [...data.slice(0, 3)] };
  });
  expect(colors.middle).toEqual([255, 255, 255]);
  expect(colors.corner).not.toEqual([255, 255, 255]);
});

test('a click on a pixel starts that motion, which turns over when the map says so', async () => {
  const { shape: [n, m], values, axes } = await picture();
  const at = values.findIndex((value) => value !== null && value > 0.8 && value < 2);
  const [i, j] = [Math.floor(at / m), at % m];
  await lab.page.locator('[data-shows=map]').scrollIntoViewIfNeeded();
  const box = (await lab.page.locator('[data-shows=map]').boundingBox())!;
  await lab.page.mouse.click(box.x + ((i + 0.5) / n) * box.width, box.y + (1 - (j + 0.5) / m) * box.height);
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'flip-map');
  await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
  const { scene } = await lab.state();
  expect(scene.chain.links.map(({ theta }) => theta)).toEqual([axes[0]![i], axes[1]![j]]);
  const turned = async (seconds: number) => {
    await lab.page.evaluate(async (tick) => {
      const { lab: engine, store } = globalThis.catenaLab;
      if (store.standing.value.end < tick) await engine.step(tick - store.standing.value.tick);
      await engine.go(tick);
    }, Math.round(seconds));
    return Math.abs(await lab.value('theta_2')) >= Math.PI;
  };
  expect(await turned(Math.floor(120 * values[at]!))).toBe(false);
  expect(await turned(Math.ceil(120 * values[at]!))).toBe(true);
});

test('exponents grow with their errors, and those of a conservative system come in pairs', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('chaos');
  await lab.page.fill('[data-control=spectrum-seconds]', '100');
  await lab.press('grow-spectrum');
  await rest('spectrum');
  expect(await refusal('spectrum')).toBe('');
  const { exponents, intervals, checks } = (await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.spectrum.now.value))!;
  expect(exponents).toHaveLength(4);
  expect(checks.length).toBeGreaterThan(0);
  for (const { name, holds } of checks) expect(holds, name).toBe(true); // the engine's own laws, of the volume among them
  expect(Math.abs(exponents[0]! + exponents[3]!)).toBeLessThan(intervals[0]! + intervals[3]!);
  expect(intervals.every((one) => one! > 0)).toBe(true);
  const shown = await lab.page.locator('[data-shows=exponents] tr').allTextContents();
  expect(shown[0]).toBe(`λ1${exponents[0]!.toFixed(4)}± ${intervals[0]!.toFixed(4)}`);
});

test('a section: clicks start motions of the same energy', async () => {
  await lab.preset('henon-heiles');
  await lab.tab('chaos');
  await lab.press('open-section');
  await rest('section');
  expect(await refusal('section')).toBe('');
  const points = () => lab.page.evaluate(() => globalThis.catenaLab.chaosTools.section.points.value);
  const own = (await points()).length;
  expect(own).toBeGreaterThan(50);
  const canvas = lab.page.locator('[data-shows=section]');
  await canvas.scrollIntoViewIfNeeded();
  const box = (await canvas.boundingBox())!;
  await canvas.click({ position: { x: 0.55 * box.width, y: 0.5 * box.height } });
  await lab.page.waitForFunction((count) => globalThis.catenaLab.chaosTools.section.points.value.length > count, own);
  await rest('section');
  const all = await points();
  expect(new Set(all.map(({ start }) => start)).size).toBe(2);
  // On x = 0: px^2 = 2 E - py^2 - y^2 + 2 y^3 / 3 is not negative.
  for (const { x: y, y: py } of all) expect(0.25 - py * py - y * y + (2 / 3) * y ** 3).toBeGreaterThan(-1e-9);
});

test('a bifurcation diagram: one value, then two', async () => {
  await lab.preset('driven-pendulum');
  await lab.tab('chaos');
  await lab.page.fill('[data-control=diagram-from]', '1.05');
  await lab.page.fill('[data-control=diagram-to]', '1.075');
  await lab.page.fill('[data-control=diagram-count]', '2');
  await lab.press('draw-diagram');
  await rest('diagram');
  expect(await refusal('diagram')).toBe('');
  const [first, last] = await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.diagram.columns.value.map((column) => Array.from(column)));
  const kinds = (values: number[]) => [...values].sort((a, b) => a - b).reduce<number[]>((out, value) => (out.length && value - out.at(-1)! < 2e-3 ? out : [...out, value]), []).length;
  expect(kinds(first!)).toBe(1);
  expect(kinds(last!)).toBe(2); // doubled at 1.0663
});

test('what cannot be is refused with its reason', async () => {
  await lab.page.fill('[data-control=diagram-along]', 'chain.links.9.length');
  await lab.press('draw-diagram');
  await rest('diagram');
  expect(await refusal('diagram')).not.toBe('');
  expect(await lab.page.locator('.chaos .mistake').count()).toBeGreaterThan(0);
});

test('modes of a double pendulum: w^2 = (2 -+ sqrt 2) g / l, and one is seen on the stage', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('chaos');
  await lab.press('find-modes');
  await lab.page.waitForSelector('[data-shows=modes] tr');
  const found = (await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.modes.found.value))!;
  [2 - Math.SQRT2, 2 + Math.SQRT2].forEach((square, i) => expect(found.modes[i]!.frequency).toBeCloseTo(Math.sqrt(square * 9.81), 10));
  await lab.press('show-mode-2');
  await lab.page.waitForSelector('[data-action=close-trajectory]');
  const last = await lab.page.evaluate(() => Number(document.querySelector<HTMLInputElement>('[data-control=timeline]')!.max));
  expect(last).toBeGreaterThan(200);
  await lab.press('close-trajectory');
});
