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
  // What the colours mean is of the whole map: from the first flip to the last.
  const told = values.filter((value): value is number => value !== null);
  await expect.poll(() => lab.page.textContent('[data-shows=map-scale]')).toMatch(new RegExp(`^flip ${Number(Math.min(...told).toPrecision(4))} .*${Number(Math.max(...told).toPrecision(4))} `));
  expect(Math.max(...told)).toBeGreaterThan(8); // of ten seconds
  expect(colors.corner).not.toEqual([255, 255, 255]);
});

test('half of a flip map is the mirror image of the other, to the bit; a map of what has a side is computed whole', async () => {
  const computed = (whole: boolean, change: string) => lab.page.evaluate(async ([all, [from, to]]) => {
    const { chaosMap } = globalThis.catenaLab;
    const plan = chaosMap.planOf('flip-map', 3, 24)!;
    if (from) plan.scene = plan.scene.replace(from, to!);
    await chaosMap.compute(plan, { whole: all as boolean });
    const { values, status, known, mirrored, done } = chaosMap.picture.value!;
    return { mirrored, done, known: known.every((size) => size > 0), bits: [...new Uint32Array(values.buffer)].join(), status: [...status].join(), refusal: chaosMap.refusal.value };
  }, [whole, change.split('|')] as const);
  const [half, whole] = [await computed(false, ''), await computed(true, '')];
  expect([half.mirrored, whole.mirrored]).toEqual([true, false]);
  expect([half.refusal, whole.refusal]).toEqual(['', '']);
  expect([half.done, half.known, whole.known]).toEqual([24 * 24, true, true]);
  expect(half.status).toBe(whole.status);
  expect(half.bits).toBe(whole.bits);
  // A wind of its own accord, gravity aslant, a first swing: each has a side.
  for (const change of ['duration = 10.0|duration = 10.0\ngravity = [0.5, 0, -9.81]', 'theta = "90 deg"|theta = "90 deg"\ntheta_dot = 0.1']) expect((await computed(false, change)).mirrored, change).toBe(false);
});

test('a map of basins has a colour for each magnet, and says which; a click starts a motion that comes to rest there', async () => {
  await lab.tab('chaos');
  await lab.page.selectOption('[data-control=map-plan]', 'magnetic-basins');
  await lab.page.evaluate(() => globalThis.catenaLab.chaosMap.compute(globalThis.catenaLab.chaosMap.planOf('magnetic-basins', 40, 12)!));
  const { shape: [n, m], values, axes } = await picture();
  expect(new Set(values)).toEqual(new Set([0, 1, 2]));
  expect(await lab.page.locator('[data-shows=map-scale] .swatch').count()).toBe(3);
  // Three magnets in a triangle with one on the axis of a: below and above it the other two change places.
  let same = 0;
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) if (values[i * m + m - 1 - j] === [0, 2, 1][values[i * m + j]!]) same++;
  expect(same / (n * m)).toBeGreaterThan(0.95); // on the seams roundoff decides
  const at = Math.floor(n / 2) * m + 2;
  await lab.page.locator('[data-shows=map]').scrollIntoViewIfNeeded();
  const box = (await lab.page.locator('[data-shows=map]').boundingBox())!;
  await lab.page.mouse.click(box.x + ((Math.floor(at / m) + 0.5) / n) * box.width, box.y + (1 - ((at % m) + 0.5) / m) * box.height);
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'magnetic-basins');
  await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
  await lab.page.evaluate(async () => {
    const { lab: engine, store } = globalThis.catenaLab;
    await engine.step(4800 - store.standing.value.tick);
  });
  const magnets = [[0.15, 0], [-0.075, 0.13], [-0.075, -0.13]];
  const [x, y] = [await lab.value('x_1'), await lab.value('y_1')];
  const far = magnets.map(([a, b]) => Math.hypot(x - a!, y - b!));
  expect(far.indexOf(Math.min(...far))).toBe(values[at]);
  expect(axes[0]).toHaveLength(12);
  if (pictures) await lab.page.locator('.map').first().screenshot({ path: paths.join(pictures, 'basins.png') });
});

test('a worker that dies is started again with a word: the map is the same, exponents and sections too', async () => {
  const spoken = () => lab.page.evaluate(() => globalThis.catenaLab.store.notices.value.filter(({ text }) => /worker stopped \(no memory\)/.test(text)).length);
  const outcome = await lab.page.evaluate(async () => {
    const { chaosMap, chaosPool } = globalThis.catenaLab;
    const run = async (kill: boolean) => {
      const done = chaosMap.compute(chaosMap.planOf('flip-map', 6, 32)!);
      if (kill) {
        while (!((chaosMap.picture.value?.done ?? 0) > 100 && chaosMap.picture.value!.done < 1000)) await new Promise((resolve) => setTimeout(resolve, 1));
        for (const worker of await chaosPool.pool()) worker.restart('no memory');
      }
      await done;
      return { values: [...new Uint32Array(chaosMap.picture.value!.values.buffer)].join(), done: chaosMap.picture.value!.done, refusal: chaosMap.refusal.value };
    };
    return [await run(false), await run(true)];
  });
  expect(outcome[1]).toEqual(outcome[0]);
  await expect.poll(spoken).toBeGreaterThan(0);
  await lab.preset('double-pendulum');
  await lab.tab('chaos');
  const spectrum = (kill: boolean) => lab.page.evaluate(async (kills) => {
    const { chaosTools, chaosPool } = globalThis.catenaLab;
    const done = chaosTools.growSpectrum(60);
    if (kills) {
      while (!chaosTools.spectrum.now.value) await new Promise((resolve) => setTimeout(resolve, 1));
      (await chaosPool.pool())[0]!.restart('no memory');
    }
    await done;
    return { exponents: chaosTools.spectrum.now.value!.exponents, refusal: chaosTools.spectrum.work.refusal.value };
  }, kill);
  expect(await spectrum(true)).toEqual(await spectrum(false));
  const section = (kill: boolean) => lab.page.evaluate(async (kills) => {
    const { chaosTools, chaosPool } = globalThis.catenaLab;
    const done = chaosTools.openSection({ ...chaosTools.usualSection(), seconds: 100 });
    if (kills) {
      while (chaosTools.section.points.value.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
      for (const worker of await chaosPool.pool()) worker.restart('no memory');
    }
    await done;
    return JSON.stringify(chaosTools.section.points.value);
  }, kill);
  expect(await section(true)).toBe(await section(false));
  // One that dies again and again ends, and the reason is said.
  await lab.page.evaluate(async () => {
    const { chaosTools, chaosPool } = globalThis.catenaLab;
    const [worker] = await chaosPool.pool();
    const done = chaosTools.growSpectrum(1000);
    for (let i = 0; i < 40 && chaosTools.spectrum.work.running.value; i++) {
      worker!.restart('no memory');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await done;
  });
  expect(await refusal('spectrum')).toMatch(/again and again \(no memory\)/);
  await lab.page.evaluate(() => (globalThis.catenaLab.store.notices.value = []));
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

test('numbers are typed digit by digit, and what is none is refused beside its field', async () => {
  await lab.preset('driven-pendulum');
  await lab.tab('chaos');
  const from = lab.page.locator('[data-control=diagram-from]');
  await from.click({ clickCount: 3 });
  await lab.page.keyboard.type('1.075');
  expect(await from.inputValue()).toBe('1.075');
  await lab.page.keyboard.press('Enter');
  expect(await from.inputValue()).toBe('1.075');
  for (const [name, text] of [['diagram-from', '1.0.7'], ['diagram-count', '-3'], ['spectrum-seconds', 'long']] as const) {
    const field = lab.page.locator(`[data-control=${name}]`);
    await field.fill(text);
    await field.press('Enter');
    await expect.poll(() => lab.page.locator(`label:has([data-control=${name}]) [data-shows=field-mistake]`).count(), { message: name }).toBe(1);
    expect(await field.inputValue()).toBe(text);
    await field.press('Escape');
  }
});

test('what was computed of a scene that is another one by now says so', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('chaos');
  await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.growSpectrum(20));
  await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.findModes());
  const said = () => lab.page.locator('.chaos [data-shows=stale]').count();
  expect(await said()).toBe(0);
  await lab.page.evaluate(() => globalThis.catenaLab.actions.changeGravity(3));
  await lab.state();
  expect(await said()).toBeGreaterThanOrEqual(2);
  await lab.press('undo');
  await lab.state();
  await expect.poll(said).toBe(0);
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
  // Another one before that is done: both go on to the end.
  await canvas.click({ position: { x: 0.45 * box.width, y: 0.55 * box.height } });
  await rest('section');
  const all = await points();
  expect(new Set(all.map(({ start }) => start)).size).toBe(3);
  const counts = [0, 1, 2].map((start) => all.filter((one) => one.start === start).length);
  // A thousand seconds each, with about one passage in 2 pi of them.
  for (const count of counts) expect(count).toBeGreaterThan(100);
  expect(all.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  expect(await lab.page.textContent('[data-shows=section-points]')).toContain(`${all.length} points`);
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
