// Two stages side by side, and what accuracy costs.
import { expect, test } from 'vitest';
import { lab, withLab } from './page';

withLab();

const twin = () => lab.page.evaluate(() => {
  const one = globalThis.catenaLab.compare.theTwin();
  return one && { time: one.time, method: one.method, apart: globalThis.catenaLab.compare.apart.value };
});
const drawn = (selector: string) => lab.page.evaluate((which) => {
  const canvas = document.querySelector<HTMLCanvasElement>(which)!;
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext('2d')!;
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]! > 40) count++;
  return count;
}, selector);

test('the same scene by another method stands beside it, in step, and parts from it', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('compare');
  await lab.press('compare');
  await expect.poll(async () => (await twin())?.method).toBe('rk4');
  await lab.step(120);
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(1, 9);
  await expect.poll(async () => (await twin())!.apart!).toBeGreaterThan(0);
  const near = (await twin())!.apart!;
  expect(near).toBeLessThan(1e-2);
  await lab.step(1080);
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(10, 9);
  await expect.poll(async () => (await twin())!.apart!).toBeGreaterThan(10 * near);
  expect(await lab.page.textContent('[data-shows=compare-apart]')).toContain('m apart');
  // Each has its half of the stage, and draws in it.
  const [first, second, stage] = await Promise.all(['.picture', '.twin', '.stage'].map(async (one) => (await lab.page.locator(one).boundingBox())!));
  expect(first!.width).toBeCloseTo(stage!.width / 2, -1);
  expect(second!.x).toBeGreaterThanOrEqual(first!.x + first!.width - 1);
  expect(await drawn('.twin')).toBeGreaterThan(500);
  // Back in time together; what the first is changed to, the second is too.
  await lab.page.evaluate(() => globalThis.catenaLab.lab.go(60));
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(0.5, 9);
  await lab.page.selectOption('[data-control=compare-method]', 'taylor');
  await lab.slide('compare-tolerance', -12);
  await expect.poll(async () => (await twin())?.method).toBe('taylor');
  await expect.poll(async () => (await twin())?.apart ?? 1).toBeLessThan(1e-5);
});

test('what hands did to the motion belongs to both: after a drag they start together', async () => {
  await lab.fresh(2);
  await lab.tab('compare');
  expect(await twin()).not.toBeNull();
  await lab.page.selectOption('[data-control=compare-method]', 'dop853');
  await lab.slide('compare-tolerance', -13);
  await expect.poll(async () => (await twin())?.method).toBe('dop853');
  await lab.step(60);
  await (await lab.drag(1, 0.15, 0.1)).release();
  await lab.step(60);
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(1, 9);
  // By two methods of twelve digits the same motion: were one of them without the drag, they would be metres apart.
  await expect.poll(async () => (await twin())!.apart ?? 1).toBeLessThan(1e-6);
  // Back before the drag, and through it again.
  for (const tick of [30, 120]) {
    await lab.page.evaluate((to) => globalThis.catenaLab.lab.go(to), tick);
    await expect.poll(async () => (await twin())?.time).toBeCloseTo(tick / 120, 9);
    await expect.poll(async () => (await twin())!.apart ?? 1).toBeLessThan(1e-6);
  }
  // Another gravity on the way is one for both, too.
  await lab.slide('compare-tolerance', -12);
  await lab.page.evaluate(() => globalThis.catenaLab.actions.changeGravity(4));
  await lab.step(60);
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(1.5, 9);
  await expect.poll(async () => (await twin())!.apart ?? 1).toBeLessThan(1e-6);
  expect(await lab.page.locator('.twin-title').allTextContents()).toContainEqual(expect.stringContaining('from'));
});

test('its engine may die: it is started again with a word, and follows on', async () => {
  await lab.page.evaluate(async () => (await globalThis.catenaLab.compare.theEngine())!.restart('out of memory'));
  await lab.page.waitForSelector('[data-notice=warning] >> text=second stage');
  await lab.step(60);
  await expect.poll(async () => (await twin())?.time).toBeCloseTo(2, 9);
  await expect.poll(() => drawn('.twin')).toBeGreaterThan(500);
});

test('another scene stands beside it; one that is refused says why; one stage again', async () => {
  await lab.page.selectOption('[data-control=compare-scene]', 'four-bar');
  await expect.poll(() => lab.page.locator('.twin-title').allTextContents()).toContainEqual(expect.stringContaining('four-bar'));
  expect((await twin())!.apart).toBeNull();
  await expect.poll(() => drawn('.twin')).toBeGreaterThan(500);
  await lab.page.selectOption('[data-control=compare-scene]', '');
  await lab.page.selectOption('[data-control=compare-method]', 'lie-euler');
  await expect.poll(async () => (await twin())?.method === 'lie-euler' || (await lab.page.locator('[data-shows=compare-refusal]').count()) > 0).toBe(true);
  await lab.press('compare');
  expect(await lab.page.locator('.twin').count()).toBe(0);
  const [first, stage] = await Promise.all(['.picture', '.stage'].map(async (one) => (await lab.page.locator(one).boundingBox())!));
  expect(first!.width).toBeCloseTo(stage!.width, -1);
});

test('the table: a smaller tolerance costs more and errs less; the error is that of the motion', async () => {
  await lab.preset('pendulum');
  await lab.tab('compare');
  await lab.press('measure-costs');
  await expect.poll(() => lab.page.locator('[data-shows=costs] tbody tr').count()).toBeGreaterThanOrEqual(9);
  const rows = await lab.page.locator('[data-shows=costs] tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent!)));
  const of = (method: string, setting: string) => {
    const row = rows.find(([name, value]) => name === method && value === setting)!;
    return { error: Number(row[2]), evaluations: Number(row[4]) };
  };
  for (const [method, fine, coarse] of [['taylor', '1e-12', '1e-6'], ['dop853', '1e-12', '1e-6'], ['dopri5', '1e-9', '1e-4'], ['rk4', 'h = 0.002', 'h = 0.02']] as const) {
    // One of taylor's is as dear as its order, which is another one.
    if (method !== 'taylor') expect(of(method, fine).evaluations, method).toBeGreaterThan(of(method, coarse).evaluations);
    expect(of(method, fine).error, method).toBeLessThan(of(method, coarse).error);
  }
  // The order of rk4: ten times the steps, about 1e4 times less error.
  const gain = of('rk4', 'h = 0.02').error / of('rk4', 'h = 0.002').error;
  expect(gain).toBeGreaterThan(2e3);
  expect(gain).toBeLessThan(5e4);
  expect(of('taylor', '1e-12').error).toBeLessThan(1e-9);
  // From the quickest to the slowest.
  const costs = rows.map((row) => Number(row[5])).filter(Number.isFinite);
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
});
