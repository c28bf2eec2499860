// What is done is undone to the same bits, and a reload loses nothing of it.
import { describe, expect, test } from 'vitest';
import { browser, lab, LabPage, server, storm, withLab } from './page';

withLab();

const mode = (page = lab) => page.page.evaluate(() => globalThis.catenaLab.store.mode.value);

async function reload(page: LabPage) {
  await page.page.reload();
  await page.page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
}

test('a storm is one step to undo, back to the bits before it', async () => {
  await lab.fresh(2);
  await lab.step(60);
  const before = await lab.state();
  await storm('gravity', [2, 18], 1);
  await lab.press('undo');
  const after = await lab.state();
  expect(after.scene.simulation.gravity).toBe(9.81);
  // It ran on until the slider moved; at the tick where it was before, everything is as it was.
  await lab.page.evaluate((tick) => globalThis.catenaLab.lab.go(tick), before.tick);
  expect((await lab.state()).row).toEqual(before.row);
});


test('what is looked at comes back with it: from space to the flat view, and forth', async () => {
  await lab.preset('four-bar');
  expect(await mode()).toBe('2d');
  await lab.step(20);
  const there = await lab.state();
  await lab.drawn();
  const seen = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(0));
  await lab.preset('gyroscope');
  expect(await mode()).toBe('3d');
  await lab.press('undo');
  expect((await lab.state()).row).toEqual(there.row);
  expect(await mode()).toBe('2d');
  expect(await lab.page.getAttribute('[data-action="2d"]', 'aria-pressed')).toBe('true');
  await lab.drawn();
  const back = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(0));
  expect(Math.hypot(back.x - seen.x, back.y - seen.y)).toBeLessThan(1);
  await lab.press('redo');
  await lab.state();
  expect(await mode()).toBe('3d');
  // A hand that chose to look from space at a chain keeps doing so, whatever is undone of it.
  await lab.fresh(3);
  await lab.press('3d');
  await lab.slide('gravity', 3);
  await lab.state();
  await lab.press('undo');
  await lab.state();
  expect(await mode()).toBe('3d');
  await lab.press('2d');
});

describe('undo', () => {
  test('every kind of thing, back and forth, to the same bits', async () => {
    await lab.fresh(2);
    const deeds: (() => Promise<unknown>)[] = [
      () => lab.slide('gravity', 4),
      () => lab.type('damping', 0.3),
      async () => {
        await lab.tab('forces');
        await lab.page.selectOption('[data-control=force-kind]', 'drag');
        await lab.press('add-force');
      },
      async () => {
        await lab.tab('links');
        await lab.type('mass-1', 2.5);
      },
      async () => {
        await lab.tab('engine');
        await lab.page.selectOption('[data-control=method]', 'rk4');
        await lab.state();
        await lab.tab('chain');
      },
      () => lab.page.click('[data-control=elastic]'),
      () => lab.page.click('[data-control=ghost]'),
      async () => (await lab.drag(1, 0.1, 0.15)).release(),
      () => lab.press('reset'),
      () => lab.preset('four-bar'),
      () => lab.page.selectOption('[data-control=preset]', 'chain'),
    ];
    const seen: Awaited<ReturnType<typeof lab.state>>[] = [];
    for (const deed of deeds) {
      await lab.step(25);
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
    await page.step(90);
    await page.slide('gravity', 3);
    await page.step(50);
    await page.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 0.01, method: '' }]));
    await page.step(40);
    const before = await page.state();
    const curves = await page.plotted('angles');
    await page.page.waitForTimeout(1500); // it saves itself
    await reload(page);
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

  test('a reload keeps what is shown: chosen plots, arrows, notes, marked points; a link takes it along', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.preset('four-bar');
    await page.step(60);
    await page.page.evaluate(() => {
      const { actions, plots, store } = globalThis.catenaLab;
      plots.add({ y: ['kinetic', 'potential'], log: true });
      plots.change(plots.panels.value[0]!.id, { kind: 'spectrum' });
      store.arrows.value = ['velocity', 'reaction'];
      actions.setNotes({ names: false, axes: true });
      actions.mark({ body: 1, point: [0.1, 0, 0] });
    });
    const shown = (of: LabPage) => of.page.evaluate(() => {
      const { plots, store, view } = globalThis.catenaLab;
      return { plots: plots.panels.value.map(({ id: _, ...wish }) => wish), arrows: store.arrows.value, notes: store.notes.value, marks: view.trails.curves.marks.map(({ body, point }) => ({ body, point })), curve: view.trails.curves.pointsOf(0).length };
    });
    await page.state();
    const before = await shown(page);
    expect(before.curve).toBeGreaterThan(20); // the whole way so far
    expect(before.plots).toHaveLength(4);
    await page.page.waitForTimeout(1500);
    await reload(page);
    await page.state();
    await expect.poll(() => shown(page)).toMatchObject(before);
    expect((await page.plotted('columns')).map(({ title }) => title.replaceAll('|', ''))).toEqual(['kinetic', 'potential']);
    const { other } = await page.openedElsewhere(browser);
    await other.state();
    await expect.poll(() => shown(other)).toMatchObject({ ...before, curve: expect.any(Number) }); // a link has no past
    for (const one of [page, other]) {
      expect(one.problems).toEqual([]);
      await one.close();
    }
  });

  test('a marked curve has the same points, drawn on the way, after a drag, and told by the engine after a reload', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.preset('four-bar');
    const curve = (of: LabPage) => of.page.evaluate(() => globalThis.catenaLab.view.trails.curves.pointsOf(0));
    await page.page.evaluate(() => globalThis.catenaLab.lab.run());
    // Marked in the middle of a motion that goes on: rows come while the past is still on its way.
    await page.page.waitForFunction(() => globalThis.catenaLab.store.standing.value.tick > 150);
    await page.page.evaluate(() => globalThis.catenaLab.actions.mark({ body: 1, point: [0.1, 0, 0] }));
    await page.page.waitForFunction(() => globalThis.catenaLab.store.standing.value.tick > 400);
    await page.page.evaluate(async () => {
      const { lab: engine } = globalThis.catenaLab;
      await engine.stop();
      await engine.go(333);
      await engine.step(7);
      await engine.step(1);
    });
    await page.state();
    const before = await curve(page);
    expect(before.length).toBeGreaterThan(200);
    await page.page.waitForTimeout(1500);
    await reload(page);
    await page.state();
    expect(await curve(page)).toEqual(before);
    await page.step(200); // drawn on from there, through the end of a stretch
    await page.state();
    const after = await curve(page);
    expect(after.slice(0, before.length)).toEqual(before);
    await page.page.evaluate(() => globalThis.catenaLab.lab.past.traceAgain());
    await page.state();
    expect(await curve(page)).toEqual(after);
    // A drag moves the present, and nothing of the past.
    const { release } = await page.drag(1, 0.1, 0.1);
    await release();
    await page.state();
    await page.step(30);
    await page.state();
    const dragged = await curve(page);
    expect(dragged.length).toBeGreaterThan(after.length - 2);
    await page.page.evaluate(() => globalThis.catenaLab.lab.past.traceAgain());
    await page.state();
    expect(await curve(page)).toEqual(dragged);
    expect(page.problems).toEqual([]);
    await page.close();
  });

  test('a reload keeps what can be undone and done again, to the same bits', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(3);
    const seen: Awaited<ReturnType<typeof page.state>>[] = [];
    const deeds = [() => page.slide('gravity', 4), async () => (await page.drag(2, 0.1, 0.1)).release(), () => page.preset('four-bar'), () => page.slide('gravity', 2)];
    for (const deed of deeds) {
      await page.step(30);
      seen.push(await page.state());
      await deed();
      await page.state();
    }
    await page.step(30);
    const last = await page.state();
    await page.press('undo');
    await page.state();
    await page.page.waitForTimeout(1500);
    await reload(page);
    expect((await page.state()).row).toEqual(seen[3]!.row);
    // All the way back, and forth to where undo was pressed.
    for (const there of seen.slice(0, 3).reverse()) {
      await page.press('undo');
      const now = await page.state();
      expect(now.row).toEqual(there.row);
      expect(now.scene).toEqual(there.scene);
      expect(now.tick).toBe(there.tick);
    }
    for (let i = 0; i < 4; i++) await page.press('redo').then(() => page.state());
    expect((await page.state()).row).toEqual(last.row);
    expect(await page.page.isDisabled('[data-action=redo]')).toBe(true);
    expect(page.problems).toEqual([]);
    await page.close();
  });

  test('what was done a moment before a reload is not lost, and reset goes to where the hand was', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(2);
    await page.step(30);
    await (await page.drag(1, 0.15, 0.1)).release();
    const dragged = await page.state();
    await page.page.waitForTimeout(900);
    await page.type('gravity', 5);
    await page.state();
    await page.page.waitForTimeout(400);
    await reload(page);
    expect((await page.state()).scene.simulation.gravity).toBe(5);
    await page.press('reset');
    const after = await page.state();
    for (const name of ['x_1', 'z_1', 'x_2', 'z_2']) expect(after.row[after.names.indexOf(name)]).toBeCloseTo(dragged.row[dragged.names.indexOf(name)]!, 12);
    await page.close();
  });

  test('a link that is opened comes on top of the work, which undo brings back', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(4);
    await page.step(33);
    const work = await page.state();
    await page.page.waitForTimeout(1500);
    await lab.fresh(2);
    await lab.step(50);
    const link = await lab.link();
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
  await page.step(70);
  const before = await page.state();
  await page.page.waitForTimeout(1500);
  await page.page.evaluate(() => globalThis.catenaLab.client.restart('out of memory'));
  await page.page.waitForSelector('[data-notice=warning] >> text=started again');
  const after = await page.state();
  expect(after.tick).toBe(before.tick);
  expect(after.row).toEqual(before.row);
  await page.step(5);
  expect((await page.state()).tick).toBe(before.tick + 5);
  expect((await page.plotted('angles'))[0]!.x).toHaveLength(before.tick + 6);
  await page.close();
});
