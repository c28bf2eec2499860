// Every control does what it says. What happened is read from the engine, not from pixels.
import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { pageFolder } from '../../paths.ts';
import { browser, isFilm, lab, LabPage, server, startServer, withLab } from './page';

withLab();

const fresh = (links: number, elastic = false) => lab.fresh(links, elastic);

describe('the classic controls', () => {
  test('the number of links: by slider, by typing, and it starts afresh', async () => {
    await fresh(3);
    await lab.runFor(0.5);
    await lab.slide('links', 7);
    expect((await lab.state()).chains[0]!.length).toHaveLength(7);
    expect((await lab.state()).tick).toBe(0);
    await lab.type('links', 500);
    expect((await lab.state()).chains[0]!.length).toHaveLength(500);
    await lab.runFor(0.2);
    expect(await lab.value('energy_error')).toBeLessThan(1e-6);
  });

  test('gravity, damping and stiffness change the motion as it goes on', async () => {
    await fresh(2, true);
    await lab.runFor(0.3);
    const { tick } = await lab.state();
    await lab.slide('gravity', 3);
    await lab.type('stiffness', 5000);
    await lab.slide('damping', 0.6);
    const { scene, chains, tick: now } = await lab.state();
    expect(now).toBe(tick);
    expect(scene.simulation.gravity).toBe(3);
    expect(chains[0]!.stiffness).toEqual([5000, 5000]);
    expect(scene.chain.velocity_damping).toBe(0.6);
    await lab.runFor(0.5);
    expect(await lab.value('dissipated')).toBeGreaterThan(0.01);
  });

  test('damping is the rate by which free velocities fall, and 0 is none', async () => {
    await fresh(1);
    await lab.slide('gravity', 0);
    await lab.slide('damping', 1.2);
    // Without gravity and set spinning, the rate falls by exp(-1.2) in a second.
    await lab.page.evaluate(async () => {
      const { lab: engine, store } = globalThis.catenaLab;
      const doc = structuredClone(store.scene.value) as { chain: { links: Record<string, unknown>[] } };
      Object.assign(doc.chain.links[0]!, { theta_dot: 2 });
      await engine.loadDocument(doc as never, 'chain');
      await engine.step(120);
    });
    expect(await lab.value('theta_dot_1')).toBeCloseTo(2 * Math.exp(-1.2), 10);
    await lab.slide('damping', 0);
    expect((await lab.state()).scene.chain.velocity_damping).toBeUndefined();
    const rate = await lab.value('theta_dot_1');
    await lab.step(120);
    expect(await lab.value('theta_dot_1')).toBeCloseTo(rate, 12);
  });

  test('speed changes how fast time runs and not the motion', async () => {
    await fresh(2);
    await lab.slide('speed', 0.1);
    await lab.runFor(0.1);
    await lab.slide('speed', 5);
    await lab.runFor(0.5);
    const rows = await lab.page.evaluate(async () => {
      const { lab: engine } = globalThis.catenaLab;
      await engine.go(60);
      const there = [...engine.row];
      await engine.reset(false);
      await engine.step(60);
      return [there, [...engine.row]];
    });
    expect(rows[0]).toEqual(rows[1]);
    await lab.slide('speed', 1);
  });

  test('rigid to elastic keeps positions and velocities; back keeps directions and restores lengths', async () => {
    await fresh(3);
    await lab.runFor(1);
    const before = await lab.state();
    const at = (state: typeof before, name: string) => state.row[state.names.indexOf(name)]!;
    await lab.page.click('[data-control=elastic]');
    const soft = await lab.state();
    expect(soft.chains[0]!.elastic).toBe(true);
    for (const name of ['x_1', 'z_1', 'x_3', 'z_3', 'vx_3', 'vz_3']) expect(at(soft, name)).toBeCloseTo(at(before, name), 13);
    expect(await lab.page.textContent('[data-shows=conversion]')).toContain('exactly');
    await lab.runFor(1);
    const stretched = await lab.state();
    await lab.page.click('[data-control=elastic]');
    const stiff = await lab.state();
    for (const name of ['theta_1', 'theta_2', 'theta_3']) expect(at(stiff, name)).toBeCloseTo(at(stretched, name), 12);
    expect(Math.hypot(at(stiff, 'x_1'), at(stiff, 'z_1'))).toBeCloseTo(1, 13);
    expect(await lab.page.textContent('[data-shows=conversion]')).toContain('went from');
  });

  test('a rigid chain follows the hand; rates are zero then, and reset goes back there', async () => {
    await fresh(4);
    await lab.runFor(0.4);
    const { target, release } = await lab.drag(3, 0.2, 0.1);
    await lab.state();
    expect(await lab.value('x_4')).toBeCloseTo(target[0], 1);
    expect(await lab.value('z_4')).toBeCloseTo(target[2], 1);
    expect(await lab.value('theta_dot_2')).toBe(0);
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(3);
    await release();
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(null);
    const dragged = await lab.value('x_4');
    await lab.runFor(0.3);
    await lab.press('reset');
    expect((await lab.state()).tick).toBe(0);
    expect(await lab.value('x_4')).toBeCloseTo(dragged, 12);
    await lab.page.keyboard.press('Shift+R');
    expect(await lab.value('theta_4')).toBeCloseTo((120 * Math.PI) / 180, 12);
  });

  test('an elastic bob is put where the hand is, and a wild drag blows nothing up', async () => {
    await fresh(3, true);
    const { target, release } = await lab.drag(1, 0.05, -0.05);
    await lab.state();
    expect(await lab.value('vx_2')).toBe(0);
    expect(Math.hypot((await lab.value('x_2')) - target[0], (await lab.value('z_2')) - target[2])).toBeLessThan(0.4);
    await release();
    const wild = await lab.drag(2, 0.75, -0.45);
    await wild.release();
    const energy = await lab.value('energy');
    expect(Math.abs(energy)).toBeLessThan(500);
    await lab.runFor(1);
    expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-7);
  });

  test('step back returns to the same bits, through a drag and slider moves', async () => {
    await fresh(3);
    await lab.step(40);
    const there = (await lab.state()).row;
    await lab.page.locator('.picture').focus();
    for (let i = 0; i < 3; i++) await lab.page.keyboard.press('ArrowRight');
    await lab.slide('gravity', 4);
    await (await lab.drag(2, 0.1, 0.2)).release();
    await lab.step(30);
    const far = await lab.state();
    await lab.page.evaluate(async () => {
      for (let i = 0; i < 33; i++) await globalThis.catenaLab.lab.step(-1);
    });
    const back = await lab.state();
    expect(back.tick).toBe(40);
    expect(back.row).toEqual(there);
    expect(back.scene.simulation.gravity).toBe(9.81);
    await lab.step(33);
    expect((await lab.state()).row).toEqual(far.row);
    // By the buttons and by the timeline as well.
    await lab.press('back');
    await lab.state();
    await lab.press('back');
    expect((await lab.state()).tick).toBe(71);
    await lab.slide('timeline', 40);
    expect((await lab.state()).row).toEqual(there);
  });

  test('a ghost starts 0.001 rad away and diverges, also with springs', async () => {
    for (const elastic of [false, true]) {
      await fresh(3, elastic);
      await lab.page.click('[data-control=ghost]');
      await lab.tab('ghosts');
      const { row, names, ghostNames } = await lab.state();
      const apart = ['x_3', 'z_3'].map((name) => row[names.indexOf(name)]! - row[names.length + ghostNames.indexOf(name)]!);
      expect(Math.hypot(...apart)).toBeCloseTo(1e-3, 5);
      await lab.step(120 * 15);
      const { distance, growth } = await lab.page.evaluate(() => globalThis.catenaLab.lab.divergence.of(0));
      expect(distance).toBeGreaterThan(0.01);
      if (!elastic) expect(growth).toBeGreaterThan(0.2);
      for (const plot of ['plot-divergence', 'plot-error', 'plot-angles']) {
        await lab.press(plot);
        await lab.state();
      }
    }
    await lab.press('add-ghost');
    await lab.state();
    await lab.press('add-method-ghost');
    await lab.state();
    expect(await lab.page.locator('fieldset.ghost').count()).toBe(3);
    await lab.slide('offset-0', 700);
    await lab.press('remove-ghost-2');
    await lab.state();
    expect(await lab.page.locator('fieldset.ghost').count()).toBe(2);
  });
});

test('plots: the last 40 s, captions, and for one link its own phase portrait on the right', async () => {
  await fresh(1);
  const captions = () => lab.page.locator('.plots figcaption').allTextContents();
  await expect.poll(captions).toEqual([expect.stringContaining('θ(t)'), 'θ, ω', 'θ against ω']);
  await fresh(3);
  await expect.poll(captions).toEqual([expect.stringContaining('θ(t)'), 'θ, ω', 'θᵢ, θᵢ₊₁']);
  await lab.step(120 * 60);
  const [curve] = await lab.plotted('angles');
  expect([curve!.x[0], curve!.x.at(-1)]).toEqual([20, 60]);
});

describe('the engine', () => {
  test('method and tolerance can be chosen, and their effect is shown', async () => {
    await fresh(2);
    await lab.tab('engine');
    await lab.page.selectOption('[data-control=method]', 'rk4');
    expect((await lab.state()).method).toBe('rk4');
    await lab.type('step', 0.01);
    await lab.runFor(2);
    expect(Math.abs(await lab.value('energy_error'))).toBeGreaterThan(1e-9);
    await lab.page.selectOption('[data-control=method]', 'taylor');
    await lab.type('tolerance', 1e-14);
    expect((await lab.state()).scene.simulation).toMatchObject({ method: 'taylor', tolerance: 1e-14 });
    await lab.runFor(1);
    expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-11);
  });

  test('an explosion is announced and the page goes on', async () => {
    await fresh(2, true);
    await lab.type('stiffness', 100000);
    await lab.tab('learn');
    await lab.press('explode');
    await lab.page.waitForSelector('[data-notice=warning]');
    expect((await lab.state()).running).toBe(false);
    await lab.press('heal');
    await lab.page.waitForFunction(() => globalThis.catenaLab.store.standing.value.tick > 10);
    expect((await lab.state()).method).toBe('taylor');
  });

  test('links are edited one by one', async () => {
    await fresh(3);
    await lab.tab('links');
    await lab.type('mass-2', 5);
    await lab.type('length-3', 0.5);
    const { chains } = await lab.state();
    expect(chains[0]).toMatchObject({ mass: [1, 5, 1], length: [1, 1, 0.5] });
    await lab.type('theta-1', 30);
    expect(await lab.value('theta_1')).toBeCloseTo(Math.PI / 6, 12);
    expect(await lab.value('theta_2')).toBeCloseTo((2 * Math.PI) / 3, 10);
  });

  test('forces come from the schema and act; a mistake is told with its remedy', async () => {
    await fresh(2);
    await lab.tab('forces');
    await lab.page.selectOption('[data-control=force-kind]', 'drag');
    await lab.press('add-force');
    await lab.page.fill('[data-field="forces.0.linear"]', '0.5');
    await lab.page.press('[data-field="forces.0.linear"]', 'Enter');
    expect((await lab.state()).scene.forces).toMatchObject([{ kind: 'drag', linear: 0.5 }]);
    await lab.runFor(1);
    expect(await lab.value('dissipated')).toBeGreaterThan(0.1);
    await lab.page.fill('[data-field="forces.0.linear"]', '-3');
    await lab.page.press('[data-field="forces.0.linear"]', 'Enter');
    await lab.page.waitForSelector('[data-shows=field-mistake]');
    expect(await lab.page.textContent('[data-shows=field-mistake]')).toMatch(/linear/);
    expect(await lab.page.inputValue('[data-field="forces.0.linear"]')).toBe('-3');
    expect((await lab.state()).scene.forces).toMatchObject([{ linear: 0.5 }]);
    await lab.page.fill('[data-field="forces.0.linear"]', '0.5');
    await lab.page.press('[data-field="forces.0.linear"]', 'Enter');
    await lab.page.fill('[data-field="chain.pivot"]', '["0.1*sin(3*t)", 0, 0]');
    await lab.page.press('[data-field="chain.pivot"]', 'Enter');
    expect((await lab.state()).scene.chain.pivot).toEqual(['0.1*sin(3*t)', 0, 0]);
  });

  test('planar motion stays exactly planar in 3D; a drag out of the plane leaves it', async () => {
    await fresh(3);
    await lab.press('3d');
    await lab.runFor(1);
    expect(await lab.value('y_3')).toBe(0);
    expect((await lab.state()).chains[0]!.planar).toBe(true);
    await (await lab.drag(2, 0.1, 0)).release();
    expect((await lab.state()).chains[0]!.planar).toBe(false);
    expect(Math.abs(await lab.value('y_3'))).toBeGreaterThan(1e-3);
    await lab.press('2d');
  });
});

describe('in and out', () => {
  test('presets are the shipped scenes, and every one of them runs', async () => {
    const names = await lab.page.locator('[data-control=preset] option').evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    expect(names).toContain('double-pendulum');
    for (const name of names.filter((one) => one && one !== 'chain')) {
      await lab.page.selectOption('[data-control=preset]', name);
      await lab.page.waitForFunction((wanted) => globalThis.catenaLab.store.presetName.value === wanted, name);
      await lab.step(3);
      expect((await lab.state()).tick, name).toBe(3);
    }
  });

  test('a share link restores the same state and goes on with the same bits', async () => {
    await fresh(3, true);
    await lab.page.click('[data-control=ghost]');
    await lab.runFor(0.7);
    await (await lab.drag(2, 0.15, 0.05)).release();
    await lab.runFor(0.4);
    await lab.press('3d');
    const { other, state } = await lab.openedElsewhere(browser);
    expect(await other.page.evaluate(() => globalThis.catenaLab.store.mode.value)).toBe('3d');
    for (const page of [lab, other]) {
      await page.step(100);
      await expect.poll(async () => (await page.state()).tick).toBe(state.tick + 100);
    }
    expect((await other.state()).row).toEqual((await lab.state()).row);
    expect(other.problems).toEqual([]);
    await other.close();
    await lab.press('2d');
  });

  test('exports parse: CSV, PNG, WebM, TOML; a recorded run is scrubbed', async () => {
    await fresh(2);
    await lab.step(60);
    await lab.tab('share');
    const saved = async (action: string, again = false) => {
      const [download] = await Promise.all([lab.page.waitForEvent('download'), (async () => {
        await lab.press(action);
        if (again) {
          await lab.runFor(0.3);
          await lab.press(action);
        }
      })()]);
      return readFileSync((await download.path())!);
    };
    const csv = (await saved('save-csv')).toString();
    const lines = csv.split('\n').filter((line) => line && !line.startsWith('#'));
    expect(lines[0]).toMatch(/^t,x_1,x_2,y_1/);
    expect(lines.length).toBeGreaterThan(50);
    const widths = new Set(lines.map((line) => line.split(',').length));
    expect(widths.size).toBe(1);
    expect(lines.slice(1).every((line) => line.split(',').every((item) => item === 'nan' || Number.isFinite(Number(item))))).toBe(true);
    expect((await saved('save-png')).subarray(1, 4).toString()).toBe('PNG');
    expect(isFilm(await saved('film', true))).toBe(true);
    const toml = (await saved('save-scene')).toString();
    const { scene } = await lab.state();
    await lab.page.setInputFiles('[data-control=file]', { name: 'mine.toml', mimeType: 'application/toml', buffer: Buffer.from(toml) });
    await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'mine');
    expect((await lab.state()).scene).toEqual(scene);
    await lab.page.setInputFiles('[data-control=file]', { name: 'run.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await lab.page.waitForSelector('[data-action=close-trajectory]');
    await lab.slide('timeline', 20);
    await lab.page.waitForFunction(() => document.querySelector('[data-shows=time]')!.textContent !== '0.00 s');
    const recorded = Number(lines[21]!.split(',')[lines[0]!.split(',').indexOf('x_2')]);
    await lab.page.waitForFunction((x) => Math.abs(globalThis.catenaLab.view.placeOf(1)[0] - x) < 1e-5, recorded);
    await lab.press('close-trajectory');
  });

  test('a bad file is refused with place and remedy', async () => {
    await lab.page.setInputFiles('[data-control=file]', { name: 'bad.toml', mimeType: 'application/toml', buffer: Buffer.from('simulation = { duration = -1 }') });
    await lab.page.waitForSelector('[data-notice=mistake] >> text=bad.toml:1:');
  });
});

describe('for everyone', () => {
  test('keyboard alone does everything', async () => {
    await fresh(2);
    const key = (name: string) => lab.page.keyboard.press(name);
    await lab.page.locator('.picture').focus();
    await key('n');
    expect((await lab.state()).chains[0]!.length).toHaveLength(3);
    await key('Shift+N');
    expect((await lab.state()).chains[0]!.length).toHaveLength(2);
    await key('ArrowRight');
    expect((await lab.state()).tick).toBe(1);
    await key('ArrowLeft');
    expect((await lab.state()).tick).toBe(0);
    const x = await lab.value('x_2');
    await key('b');
    await key('b');
    await key('ArrowRight');
    expect(await lab.value('x_2')).toBeGreaterThan(x + 0.01);
    await key('Escape');
    await key('e');
    expect((await lab.state()).chains[0]!.elastic).toBe(true);
    await key('g');
    expect((await lab.state()).row.length).toBeGreaterThan((await lab.state()).names.length);
    await key('Space');
    expect((await lab.state()).running).toBe(true);
    await key('Space');
    expect((await lab.state()).running).toBe(false);
    await key('v');
    await key('v');
    await key('?');
    await lab.page.waitForSelector('dialog.help', { state: 'visible' });
    await key('Escape');
    await lab.page.waitForSelector('dialog.help', { state: 'hidden' });
    // Every control is reached by Tab.
    const reached = await lab.page.evaluate(() => [...document.querySelectorAll('button, input:not([type=file]), select')].every((element) => (element as HTMLElement).tabIndex >= 0 || element.getAttribute('role') === 'tab'));
    expect(reached).toBe(true);
  });

  test('the tour reacts', async () => {
    await lab.press('start-tour');
    for (let step = 0; step < 5; step++) await lab.press('tour-next');
    await lab.press('explode');
    await lab.page.waitForSelector('[data-shows=task].done');
    await lab.press('tour-end');
    await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
  });

  test('no serious accessibility findings, in dark and light, English and Japanese', async () => {
    await fresh(2);
    await lab.page.evaluate(axe.source);
    const serious = () =>
      lab.page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] });
        return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
    for (const tab of ['chain', 'show', 'ghosts', 'build', 'measure', 'compare', 'chaos', 'engine', 'links', 'forces', 'share', 'learn']) {
      await lab.tab(tab);
      expect(await serious(), tab).toEqual([]);
    }
    await lab.press('theme');
    await lab.page.selectOption('[data-control=language]', 'ja');
    expect(await lab.page.textContent('[data-tab=chain]')).toBe('鎖');
    expect(await lab.page.evaluate(() => document.documentElement.lang)).toBe('ja');
    for (const tab of ['chain', 'show', 'build', 'measure', 'compare', 'chaos', 'engine', 'share', 'learn']) {
      await lab.tab(tab);
      expect(await serious(), `light ${tab}`).toEqual([]);
    }
    await lab.page.selectOption('[data-control=language]', 'en');
    await lab.press('theme');
  });

  test('on a phone nothing is wider than the screen, and a finger drags', async () => {
    const phone = await LabPage.open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const client = await phone.page.context().newCDPSession(phone.page);
    const box = (await phone.page.locator('.picture').boundingBox())!;
    const from = await phone.page.evaluate(() => globalThis.catenaLab.view.screenOf(2));
    const point = (x: number, y: number) => [{ x: box.x + x, y: box.y + y }];
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: point(from.x, from.y) });
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: point(from.x + 20, from.y + 60) });
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect(await phone.value('theta_3')).not.toBeCloseTo((120 * Math.PI) / 180, 3);
    expect(phone.problems).toEqual([]);
    await phone.close();
  });
});

describe('where it comes from', () => {
  test('lab.html works from a file, by its own policy', async () => {
    const single = await LabPage.open(browser, `file://${pageFolder}/lab.html`);
    await single.runFor(0.2);
    expect(single.problems).toEqual([]);
    await single.close();
  });

  test('catena lab SCENE opens that scene', async () => {
    const other = await startServer('conical');
    const page = await LabPage.open(browser, other.address);
    expect(await page.page.evaluate(() => globalThis.catenaLab.store.presetName.value)).toBe('conical');
    expect((await page.state()).chains[0]!.length).toHaveLength(1);
    expect(page.problems).toEqual([]);
    await page.close();
    other.stop();
  });
});
