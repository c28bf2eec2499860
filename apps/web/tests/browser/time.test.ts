// Time keeps running, whatever hands do meanwhile; and what they do is undone to the same bits.
import { describe, expect, test } from 'vitest';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const step = (ticks: number) => lab.page.evaluate((n) => globalThis.catenaLab.lab.step(n), ticks);

// A slider that moves every 16 ms for some seconds: simulated over wall time, and how many changes reached the engine.
function storm(control: string, values: [number, number], seconds: number): Promise<{ ratio: number; events: number }> {
  return lab.page.evaluate(async ([name, low, high, duration]) => {
    const { lab: engine, store } = globalThis.catenaLab;
    const slider = document.querySelector<HTMLInputElement>(`[data-control="${name}"]`)!;
    const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
    engine.run();
    await new Promise((resolve) => setTimeout(resolve, 600));
    const [from, start] = [store.standing.value.tick, performance.now()];
    let events = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const elapsed = (performance.now() - start) / 1000;
        put.call(slider, String(low + (high - low) * (0.5 + 0.5 * Math.sin(7 * elapsed))));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        events++;
        if (elapsed < duration || events < 100) return;
        clearInterval(timer);
        resolve();
      }, 16);
    });
    const ratio = (store.standing.value.tick - from) / 120 / ((performance.now() - start) / 1000);
    slider.dispatchEvent(new Event('change', { bubbles: true }));
    await engine.stop();
    return { ratio, events };
  }, [control, values[0], values[1], seconds] as [string, number, number, number]);
}

describe('sliders', () => {
  test('one that moves every 16 ms leaves the motion at real time', async () => {
    await lab.fresh(3);
    const calm = await storm('speed', [1, 1], 3); // the same frames, without a change of the scene
    for (const [control, range] of [['gravity', [2, 18]], ['damping', [0, 1]]] as const) {
      await lab.fresh(3);
      const { ratio, events } = await storm(control, [range[0], range[1]], 4);
      expect(events).toBeGreaterThanOrEqual(100);
      // A machine that is busy with other things draws fewer frames, and time is cut where a frame takes 0.1 s.
      expect(ratio, `${control}: ${ratio} of ${calm.ratio} without changes`).toBeGreaterThanOrEqual(0.95 * Math.min(1, calm.ratio));
    }
  });

  test('a storm is one step to undo, back to the bits before it', async () => {
    await lab.fresh(2);
    await step(60);
    const before = await lab.state();
    await storm('gravity', [2, 18], 1);
    await lab.press('undo');
    const after = await lab.state();
    expect(after.scene.simulation.gravity).toBe(9.81);
    // It ran on until the slider moved; at the tick where it was before, everything is as it was.
    await lab.page.evaluate((tick) => globalThis.catenaLab.lab.go(tick), before.tick);
    expect((await lab.state()).row).toEqual(before.row);
  });

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

describe('undo', () => {
  test('every kind of thing, back and forth, to the same bits', async () => {
    await lab.fresh(2);
    const deeds: (() => Promise<unknown>)[] = [
      () => lab.slide('gravity', 4),
      () => lab.type('damping', 0.3),
      () => lab.page.click('[data-control=elastic]'),
      () => lab.page.click('[data-control=ghost]'),
      async () => (await lab.drag(1, 0.1, 0.15)).release(),
      () => lab.press('reset'),
      () => lab.preset('four-bar'),
      () => lab.page.selectOption('[data-control=preset]', 'chain'),
    ];
    const seen: Awaited<ReturnType<typeof lab.state>>[] = [];
    for (const deed of deeds) {
      await step(25);
      seen.push(await lab.state());
      await deed();
      await lab.state();
    }
    const last = await lab.state();
    for (const [i, there] of [...seen.entries()].reverse()) {
      await lab.page.locator('.picture').focus();
      await lab.page.keyboard.press('Control+z');
      const now = await lab.state();
      expect(now.row, `undo ${i}`).toEqual(there.row);
      expect(now.scene, `undo ${i}`).toEqual(there.scene);
      expect(now.tick).toBe(there.tick);
    }
    for (let i = 0; i < deeds.length; i++) await lab.press('redo').then(() => lab.state());
    expect((await lab.state()).row).toEqual(last.row);
    expect(await lab.page.isDisabled('[data-action=redo]')).toBe(true);
  });

  test('a reload loses nothing: state, past and plots', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(3);
    await page.page.evaluate(() => globalThis.catenaLab.lab.step(90));
    await page.slide('gravity', 3);
    await page.page.evaluate(() => globalThis.catenaLab.lab.step(50));
    await page.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0.01, method: '' }]));
    await page.page.evaluate(() => globalThis.catenaLab.lab.step(40));
    const before = await page.state();
    const curves = await page.plotted('angles');
    await page.page.waitForTimeout(1500); // it saves itself
    await page.page.reload();
    await page.page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
    const after = await page.state();
    expect(after.tick).toBe(before.tick);
    expect(after.row).toEqual(before.row);
    expect(after.scene).toEqual(before.scene);
    expect((await page.plotted('angles'))[0]!.y).toEqual(curves[0]!.y);
    await page.page.evaluate(() => globalThis.catenaLab.lab.go(60));
    expect((await page.state()).scene.simulation.gravity).toBe(9.81);
    expect(page.problems).toEqual([]);
    await page.close();
  });

  test('a link that is opened comes on top of the work, which undo brings back', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(4);
    await page.page.evaluate(() => globalThis.catenaLab.lab.step(33));
    const work = await page.state();
    await page.page.waitForTimeout(1500);
    await lab.fresh(2);
    await step(50);
    await lab.tab('share');
    await lab.press('share');
    const link = await lab.page.inputValue('[data-shows=link]');
    await lab.tab('chain');
    await page.page.goto('about:blank');
    await page.page.goto(link);
    await page.page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
    expect((await page.state()).chains[0]!.length).toHaveLength(2);
    await page.press('undo');
    const back = await page.state();
    expect(back.row).toEqual(work.row);
    expect(back.tick).toBe(33);
    await page.close();
  });
});

test('an engine that dies is started again from what was saved, with a word', async () => {
  const page = await LabPage.open(browser, server.address);
  await page.fresh(3);
  await page.page.evaluate(() => globalThis.catenaLab.lab.step(70));
  const before = await page.state();
  await page.page.waitForTimeout(1500);
  await page.page.evaluate(() => globalThis.catenaLab.client.restart('out of memory'));
  await page.page.waitForSelector('[data-notice=warning] >> text=started again');
  const after = await page.state();
  expect(after.tick).toBe(before.tick);
  expect(after.row).toEqual(before.row);
  await page.page.evaluate(() => globalThis.catenaLab.lab.step(5));
  expect((await page.state()).tick).toBe(before.tick + 5);
  expect((await page.plotted('angles'))[0]!.x).toHaveLength(before.tick + 6);
  await page.close();
});
