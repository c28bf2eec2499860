// Time keeps running, whatever hands do meanwhile.
import { describe, expect, test } from 'vitest';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

describe('sliders', () => {
  test('keys work after a click on a slider, and arrows stay with it', async () => {
    await lab.fresh(2);
    await lab.page.locator('[data-control=gravity]').click();
    await lab.page.keyboard.press('Space');
    expect((await lab.state()).running).toBe(true);
    await lab.page.keyboard.press('Space');
    expect((await lab.state()).running).toBe(false);
    const { tick, scene } = await lab.state();
    await lab.page.keyboard.press('ArrowRight');
    const moved = await lab.state();
    expect(moved.tick).toBe(tick);
    expect(moved.scene.simulation.gravity).not.toBe(scene.simulation.gravity);
  });
});

test('time runs at 1 x from the start', async () => {
  const page = await LabPage.open(browser, server.address);
  expect(await page.page.evaluate(() => globalThis.catenaLab.store.speed.value)).toBe(1);
  await page.close();
});

test('ten quick presses are ten ticks, forward and back', async () => {
  await lab.fresh(3);
  await lab.page.locator('.picture').focus();
  await lab.page.evaluate(() => {
    for (let i = 0; i < 10; i++) document.querySelector('.picture')!.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  });
  expect((await lab.state()).tick).toBe(10);
  await lab.page.evaluate(() => {
    for (let i = 0; i < 4; i++) document.querySelector('.picture')!.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
  });
  expect((await lab.state()).tick).toBe(6);
});

describe('hands in a motion that runs', () => {
  const places = (name: string) => lab.value(name);

  // Moves what is at a point of the screen along, while time runs.
  async function shake(from: { x: number; y: number }, by: { dx: number; dy: number }, steps = 12) {
    const box = (await lab.page.locator('.picture').boundingBox())!;
    await lab.page.mouse.move(box.x + from.x, box.y + from.y);
    await lab.page.mouse.down();
    for (let i = 1; i <= steps; i++) {
      await lab.page.mouse.move(box.x + from.x + (by.dx * i) / steps, box.y + from.y + (by.dy * i) / steps);
      await lab.page.waitForTimeout(25);
    }
  }

  test('a bob is pulled along and thrown, and what that did to the energy is told', async () => {
    await lab.fresh(2);
    await lab.slide('gravity', 0); // so that only the hand moves it
    await lab.page.evaluate(() => globalThis.catenaLab.lab.run());
    await lab.drawn();
    const { tick } = await lab.state();
    const from = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(1));
    await shake(from, { dx: -120, dy: 60 });
    await lab.page.mouse.up(); // at once: a hand that waits brings it to rest
    await lab.page.waitForSelector('[data-shows=thrown]');
    expect((await lab.state()).tick).toBeGreaterThan(tick + 10); // time went on
    const thrown = await lab.page.evaluate(() => globalThis.catenaLab.store.throwing.value!);
    expect(thrown.after).toBeGreaterThan(thrown.before + 1e-3); // it flies
    expect((await lab.state()).running).toBe(true);
    await lab.page.waitForTimeout(500);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
    // Nothing acts on it any more: it keeps the energy that it was thrown with.
    expect(await places('energy')).toBeCloseTo(thrown.after, 8);
    expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-9);
  });

  test('a pivot is shaken, and rests where it was left', async () => {
    await lab.fresh(2);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.run());
    await lab.drawn();
    const at = await lab.page.evaluate(() => {
      const { view } = globalThis.catenaLab;
      // Where the origin is on the screen, from two bobs of a straight chain: pivot and bobs are in a line at the start.
      const place = view.under(100, 100, [0, 0, 0]);
      const right = view.under(200, 100, [0, 0, 0]);
      const scale = 100 / (right[0] - place[0]);
      return { x: 100 - place[0] * scale, y: 100 + place[2] * scale };
    });
    await shake(at, { dx: 60, dy: -20 });
    await lab.page.mouse.up();
    await lab.page.waitForFunction(() => {
      const pivot = (globalThis.catenaLab.store.description.value!.scene.chain as { pivot?: unknown[] }).pivot;
      return Array.isArray(pivot) && typeof pivot[0] === 'number';
    });
    await lab.page.waitForTimeout(600); // and that moment is on the screen
    await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
    const pivot = (await lab.state()).scene.chain.pivot as number[];
    expect(pivot[0]).toBeGreaterThan(0.1);
    expect(Math.hypot((await places('x_1')) - pivot[0]!, (await places('z_1')) - pivot[2]!)).toBeCloseTo(1, 9);
    expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-9);
  });
});
