// Motions beside the motion, and what the page does when the engine is slow or a method fails.
import path from 'node:path';
import { expect, test } from 'vitest';
import { lab, withLab } from './page';

withLab();

const pictures = process.env.CATENA_PICTURES;

const ghost = (i: number) => lab.page.evaluate((k) => globalThis.catenaLab.lab.divergence.of(k), i);

// Distance of the last bobs of the motion and of a ghost.
async function apart(i: number): Promise<number> {
  const { row, names, ghostNames } = await lab.state();
  const last = names.filter((name) => /^x_\d+$/.test(name)).length;
  const offset = names.length + i * ghostNames.length;
  return Math.hypot(...['x', 'y', 'z'].map((axis) => row[names.indexOf(`${axis}_${last}`)]! - row[offset + ghostNames.indexOf(`${axis}_${last}`)]!));
}

test('distances grow exponentially, with rods and with springs, and the rate is shown', async () => {
  for (const elastic of [false, true]) {
    await lab.fresh(3, elastic);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 1e-8, method: '' }]));
    await lab.step(120 * 15);
    const { growth, distance } = await ghost(0);
    // A triple pendulum let go from 120 degrees: e-folding times between a third of a second and four seconds.
    expect(growth, `elastic: ${elastic}`).toBeGreaterThan(0.25);
    expect(growth, `elastic: ${elastic}`).toBeLessThan(4);
    expect(distance).toBeGreaterThan(1e-7);
    await lab.tab('ghosts');
    await expect.poll(() => lab.page.textContent('fieldset.ghost')).toContain(growth!.toFixed(2));
    await lab.tab('chain');
  }
});

test('several ghosts start each at its own offset', async () => {
  await lab.fresh(2);
  await lab.tab('ghosts');
  for (let i = 0; i < 3; i++) {
    await lab.press('add-ghost');
    await lab.state();
  }
  await lab.type('offset-1', 0.02);
  const { row, names } = await lab.state();
  expect(row.length).toBeGreaterThan(names.length);
  // Only the first link of 1 m is turned: its end, and so the last bob, is a chord away.
  for (const [i, offset] of [1e-3, 0.02, 3e-3].entries()) expect(await apart(i)).toBeCloseTo(2 * Math.sin(offset / 2), 9);
  await lab.step(240);
  for (let i = 0; i < 3; i++) expect((await ghost(i)).distance).toBeGreaterThan(0);
  // Energies side by side, each of its own motion.
  const [own, other] = await Promise.all(['energy', 'ghost'].map(async (which) => {
    const state = await lab.state();
    return which === 'energy' ? state.row[state.names.indexOf('energy')]! : state.row[state.names.length + state.ghostNames.indexOf('energy')]!;
  }));
  const cells = () => lab.page.locator('fieldset.ghost >> nth=0 >> td').allTextContents();
  await expect.poll(cells).toEqual([own, other].map((joules) => `${Number(joules!.toPrecision(4))} J`));
  expect(await lab.page.locator('fieldset.ghost').count()).toBe(3);
});

test('two methods are compared as ghosts: the coarser one parts first', async () => {
  await lab.fresh(2);
  await lab.tab('engine');
  await lab.press('compare-methods');
  await lab.state();
  const ghosts = await lab.page.evaluate(() => globalThis.catenaLab.store.ghosts.value.map(({ offset, method }) => [method, offset]));
  expect(ghosts).toEqual([['rk4', 0], ['dopri5', 0]]);
  await lab.tab('ghosts');
  await lab.type('ghost-step-0', 0.05);
  await lab.state();
  await lab.step(120 * 3);
  const [coarse, fine] = [await apart(0), await apart(1)];
  expect(coarse).toBeGreaterThan(10 * fine);
  expect(fine).toBeGreaterThan(0);
});

test('ghosts are coloured by an indicator: blue for a small swing, red for a wild one, and pale again when they are others', async () => {
  const swing = (angle: string) => `[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "${angle}"\nrepeat = 2\n`;
  const settled = () => lab.page.waitForFunction(() => !globalThis.catenaLab.chaosTools.ghosts.work.running.value);
  for (const [angle, verdict, color] of [['5 deg', 'regular', [0, 114, 178]], ['120 deg', 'chaotic', [213, 94, 0]]] as const) {
    await lab.load(swing(angle));
    await lab.plain();
    // A ghost so far off that it is seen beside the motion.
    await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0.5, method: '' }]));
    if (verdict === 'regular') await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0.06, method: '' }]));
    await lab.tab('ghosts');
    await lab.press('judge-ghosts');
    await lab.page.waitForSelector('[data-shows=ghost-indicator-0]');
    await settled();
    expect(await lab.page.evaluate(() => globalThis.catenaLab.chaosTools.ghosts.work.refusal.value)).toBe('');
    await expect.poll(() => lab.page.textContent('[data-shows=ghost-indicator-0]')).toContain(verdict);
    if (pictures) await lab.page.screenshot({ path: path.join(pictures, `ghost-${verdict}.png`) });
    // On the stage: pixels of that hue at the ghost's bob.
    const { row, names, ghostNames } = await lab.state();
    const at = (['x_2', 'y_2', 'z_2'] as const).map((name) => row[names.length + ghostNames.indexOf(name)]!) as [number, number, number];
    const { x, y } = await lab.seen(at);
    const seen = (await lab.pixels(x, y, 6)).filter(([, , , alpha]) => alpha > 60);
    const warm = (rgb: readonly number[]) => Math.sign(rgb[0]! - rgb[2]!);
    expect(seen.some((pixel) => Math.abs(pixel[0] - pixel[2]) > 40 && warm(pixel) === warm(color)), JSON.stringify(seen.slice(0, 5))).toBe(true);
  }
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0.4, method: '' }]));
  await expect.poll(() => lab.page.locator('[data-shows=ghost-indicator-0]').count()).toBe(0);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([]));
});

test('a ghost that blows up says so, and the motion goes on', async () => {
  await lab.fresh(2, true);
  await lab.type('stiffness', 100000);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0, method: 'euler', step: 0.05 }]));
  // Each step multiplies it by 16: after 130 of them its energy is no number any more.
  await lab.step(900);
  await lab.tab('ghosts');
  await lab.page.waitForSelector('fieldset.ghost >> text=blown up');
  expect((await lab.state()).tick).toBe(900);
  expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-6);
});

test('where the engine cannot keep up, accuracy is lowered step by step, and the page says so', async () => {
  const told = await lab.page.evaluateHandle(() => {
    const texts: { text: string; tolerance: unknown }[] = [];
    // Every notice as it appears, with the tolerance that the motion has then.
    new MutationObserver(() => {
      for (const { textContent } of document.querySelectorAll('[data-notice=warning] span')) {
        if (!texts.some(({ text }) => text === textContent)) texts.push({ text: textContent!, tolerance: globalThis.catenaLab.store.description.value!.scene.simulation });
      }
    }).observe(document.querySelector('.notices')!, { childList: true, subtree: true });
    return texts;
  });
  await lab.page.evaluate(async () => {
    const { lab: engine, store } = globalThis.catenaLab;
    store.mayLower.value = true;
    await engine.setGhosts([]);
    // Six chains of 1000 links at ten times the speed of time: too much for any machine.
    await engine.newChain({ links: 1000, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 });
    await engine.setGhosts(Array.from({ length: 5 }, (_, i) => ({ offset: 1e-3 * (i + 1), method: '' })));
    store.speed.value = 10;
    engine.run();
  });
  const steps = () => told.evaluate((all) => all.map(({ text, tolerance }) => [/raised to (\S+?)[,.;:]?( |$)/.exec(text)?.[1], (tolerance as { tolerance: number }).tolerance]));
  await expect.poll(async () => (await steps()).length).toBeGreaterThanOrEqual(2);
  // A thousandfold each time, and no further before the last change was made, however late that comes.
  expect((await steps()).slice(0, 2)).toEqual([['1e-9', 1e-12], ['1e-6', 1e-9]]);
  expect(await lab.page.textContent('.badges')).toContain('tolerance raised');
  await lab.page.evaluate(async () => {
    const { lab: engine, store } = globalThis.catenaLab;
    await engine.stop();
    store.mayLower.value = false;
    store.speed.value = 3;
  });
  await lab.fresh(3);
  expect(await lab.page.textContent('.badges')).not.toContain('tolerance raised');
});
