// Damaged links, bombs, engines that die, hands that are everywhere at once: the page says a word and goes on.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { shippedScene } from '../support';
import { browser, isFilm, lab, LabPage, server, withLab } from './page';

withLab();

const notices = (page = lab) => page.page.evaluate(() => globalThis.catenaLab.store.notices.value.map(({ text }) => text));
const clearNotices = () => lab.page.evaluate(() => (globalThis.catenaLab.store.notices.value = []));

// It answers, computes right, and shows what it computed.
async function isWell(page = lab) {
  await page.page.evaluate(() => globalThis.catenaLab.lab.stop());
  await page.fresh(2);
  await page.step(30);
  expect((await page.state()).tick).toBe(30);
  expect(Math.abs(await page.value('energy_error'))).toBeLessThan(1e-9);
  await page.plain();
  // The camera may still be on its way.
  await expect.poll(async () => page.isDrawnAt(await page.page.evaluate(() => globalThis.catenaLab.view.screenOf(1)), 3)).toBe(true);
}

describe('links and files', () => {
  test('a link that was cut, changed or mixed up is told, and leaves the work alone', async () => {
    await lab.fresh(3);
    await lab.step(40);
    const code = (await lab.link()).split('#s=')[1]!;
    const inside = inflateRawSync(Buffer.from(code, 'base64url')).toString();
    const packed = (text: string) => deflateRawSync(text).toString('base64url');
    const whole = JSON.parse(inside) as { saved: Record<string, unknown>; look: Record<string, unknown> };
    const other = (saved: object, look: object = {}) => packed(JSON.stringify({ v: 1, saved: { ...whole.saved, ...saved }, look: { ...whole.look, ...look } }));
    const damaged = [
      ...[5, 60, 300].map((length) => code.slice(0, length)),
      code.slice(10),
      `${code.slice(0, 50)}%%%${code.slice(53)}`,
      packed('null'),
      packed('[]'),
      packed('{"v": 1}'),
      packed('{"v": 1, "saved": {}, "look": {}}'),
      other({ tick: -5 }),
      other({ tick: 1e300 }),
      other({ tick_seconds: 0 }),
      other({ motion: '' }),
      other({ motion: 'AAAA' }),
      other({ motion: (whole.saved.motion as string).slice(0, -40) }),
      other({ ghosts: [{ offset: 1 }] }),
      other({ scene: '{"simulation": {}, "chain": {"links": [{"length": 1, "mass": 1, "repeat": 900000}]}}' }),
      other({ scene: '{'.repeat(100000) }),
      other({ scene: 5 }),
    ];
    const before = await lab.state();
    for (const [i, bad] of damaged.entries()) {
      await clearNotices();
      await lab.page.evaluate((hash) => (location.hash = `s=${hash}`), bad);
      await expect.poll(async () => (await notices()).length, { message: `damage ${i}` }).toBeGreaterThan(0);
      expect((await notices()).join(), `damage ${i}`).not.toMatch(/inside the engine|engine stopped/);
      const after = await lab.state();
      expect(after.row, `damage ${i}`).toEqual(before.row);
      expect(after.tick).toBe(before.tick);
    }
    // A view from nowhere is not taken; the motion is.
    await lab.page.evaluate((hash) => (location.hash = `s=${hash}`), other({ name: 'elsewhere' }, { camera: [1e400, null, 'x'], speed: -3, mode: 'sideways', marks: [{ body: 99, point: 'x' }, null], shown: { arrows: ['up', 5], plots: [null, { what: 'lies', x: 7, y: [1, 'nowhere'], kind: {}, log: 'yes', xRange: [5, 1], yRange: [null, 2] }, ...Array(50).fill({ what: 'angles' })] } }));
    await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'elsewhere');
    await lab.drawn();
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.camera().every(Number.isFinite))).toBe(true);
    // Nor plots and arrows of nothing.
    expect(await lab.page.evaluate(() => globalThis.catenaLab.plots.panels.value.slice(0, 3).map(({ what, x, y, kind, log, xRange }) => [what, x, y, kind, log, xRange]))).toEqual([
      ['columns', 't', [], 'value', false, null],
      ['columns', 't', ['nowhere'], 'value', false, null],
      ['angles', 't', [], 'value', false, null],
    ]);
    expect(await lab.page.evaluate(() => [globalThis.catenaLab.plots.panels.value.length, globalThis.catenaLab.store.arrows.value.length, globalThis.catenaLab.store.marks.value])).toEqual([6, 0, 0]);
    await lab.plotted('angles');
    await lab.page.evaluate(() => (globalThis.catenaLab.plots.panels.value = globalThis.catenaLab.plots.takenPanels(['angles', 'phase', 'adjacent'].map((what) => ({ what })))));
    await lab.page.evaluate(() => history.replaceState(null, '', location.pathname));
    await isWell();
  });

  test('a scene of a million links is refused with its count, before it costs memory', async () => {
    const memory = () => lab.page.evaluate(() => globalThis.catenaLab.client.memory());
    const before = await memory();
    for (const repeat of ['repeat = 1_000_000', 'repeat = 400000\n[[chain.links]]\nlength = 1\nmass = 1\nrepeat = 400000']) {
      await clearNotices();
      await lab.drop('bomb.toml', `[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n${repeat}\n`);
      await expect.poll(async () => (await notices()).join()).toMatch(/\d+ links, and this page shows up to 10000/);
    }
    expect((await memory()) - before).toBeLessThan(20e6);
    await isWell();
  });

  test('a file of hundreds of megabytes is refused before it is read; one that only looks like a run, with a reason', async () => {
    await clearNotices();
    await lab.drop('huge.h5', ' '.repeat(1e6), 250);
    await expect.poll(async () => (await notices()).join()).toMatch(/huge\.h5 is too large/);
    for (const [name, text] of [['a.csv', 't,x_1\n0,zero\n'], ['b.json', '{"quantities": 5}'], ['c.npz', 'PK\u0003\u0004 no more'], ['d.toml', '\u0000\u0001\u0002']] as const) {
      await clearNotices();
      await lab.drop(name, text);
      await expect.poll(async () => (await notices()).length, { message: name }).toBeGreaterThan(0);
      expect(await lab.page.locator('[data-action=close-trajectory]').count(), name).toBe(0);
    }
    await clearNotices();
    // A few bytes that would ask for gigabytes: a link of a number without end, and many rows of a chain with long gaps.
    for (const [name, text, said] of [
      ['far.csv', 't,x_1000000000,y_1000000000,z_1000000000\n0,0,0,0\n', /1000000000 links, and this page shows up to 10000/],
      ['gaps.csv', `t,x_9000,y_9000,z_9000\n${'0,0,0,0\n'.repeat(20_000)}`, /more than 40 million numbers/],
    ] as const) {
      await clearNotices();
      await lab.drop(name, text);
      await expect.poll(async () => (await notices()).join(), { message: name }).toMatch(said);
    }
    await clearNotices();
    await lab.drop('later.moment.json', '{"v": 9, "saved": {}}');
    await expect.poll(async () => (await notices()).join()).toMatch(/newer version/);
    await isWell();
  });
});

test('a browser that keeps nothing: the page begins as ever, and says nothing in its console', async () => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, reducedMotion: 'reduce' });
  await context.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    for (const place of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(window, place, { get: refuse });
  });
  const page = await LabPage.openIn(context, server.address);
  await page.page.click('[data-action=theme]');
  await page.page.selectOption('[data-control=language]', 'ja');
  await page.page.selectOption('[data-control=language]', 'en');
  await isWell(page);
  await page.page.waitForTimeout(600); // it would save itself
  expect(page.problems).toEqual([]);
  await page.close();
});

describe('an engine that dies', () => {
  const die = (page: LabPage, reason: string) => page.page.evaluate((why) => globalThis.catenaLab.client.restart(why), reason);

  test('in the middle of a drag, of an edit, of a run: started again from what was saved, with undo', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(3);
    await page.slide('gravity', 4);
    await page.step(50);
    const before = await page.state();
    await page.page.waitForTimeout(900);
    const { release } = await page.drag(2, 0.1, 0.1);
    await page.page.waitForTimeout(900); // the drag is saved as well
    await die(page, 'out of memory');
    await release();
    await page.page.waitForSelector('[data-notice=warning] >> text=started again');
    expect((await page.state()).tick).toBe(before.tick);
    await page.press('undo'); // the drag
    expect((await page.state()).row).toEqual(before.row);
    await page.press('undo');
    expect((await page.state()).scene.simulation.gravity).toBe(9.81);
    // While it runs, and changes are on their way.
    await page.page.evaluate(async () => {
      const { lab: engine, actions, client } = globalThis.catenaLab;
      engine.run();
      for (let i = 0; i < 20; i++) {
        void actions.changeGravity(5 + i / 10);
        if (i === 10) client.restart('unreachable');
        await new Promise((resolve) => setTimeout(resolve, 16));
      }
    });
    await page.page.waitForSelector('[data-notice=warning] >> text=unreachable');
    await isWell(page);
    expect(page.problems).toEqual([]);
    await page.close();
  });

  test('again while it is started again: with a new chain, and a word', async () => {
    const page = await LabPage.open(browser, server.address);
    await page.fresh(5);
    await page.page.waitForTimeout(900);
    // What was saved kills it.
    await page.page.evaluate(() => {
      const { client, lab: engine } = globalThis.catenaLab;
      const restore = engine.restore.bind(engine);
      engine.restore = (async (...words: Parameters<typeof restore>) => {
        engine.restore = restore;
        client.restart('once more');
        return restore(...words);
      }) as typeof engine.restore;
      client.restart('first');
    });
    await page.page.waitForSelector('[data-notice=warning] >> text=with a new chain');
    expect((await page.state()).chains[0]!.length).toHaveLength(3);
    await isWell(page);
    await page.close();
  });
});

describe('hands that are everywhere', () => {
  test('quick clicks on everything leave page and engine of one mind', async () => {
    await lab.fresh(3);
    const actions = ['undo', 'redo', 'reset', 'run', 'back', 'forward', '2d', '3d', 'fit', 'theme'];
    await lab.page.evaluate(async (names) => {
      const press = (name: string) => document.querySelector<HTMLElement>(`[data-action="${name}"], [data-control="${name}"]`)?.click();
      const preset = document.querySelector<HTMLSelectElement>('[data-control=preset]')!;
      const scenes = [...preset.options].map(({ value }) => value).filter(Boolean);
      for (let i = 0; i < 120; i++) {
        press([...names, 'elastic', 'ghost', 'trace'][(7 * i) % (names.length + 3)]!);
        if (i % 10 === 3) {
          preset.value = scenes[i % scenes.length]!;
          preset.dispatchEvent(new Event('change', { bubbles: true }));
        }
        await new Promise((resolve) => setTimeout(resolve, 8));
      }
    }, actions);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.stop());
    const { scene, bodies, chains, row, names, ghostNames } = await lab.state();
    const shown = await lab.page.evaluate(async () => {
      const { store, lab: engine, view } = globalThis.catenaLab;
      const { answer } = await globalThis.catenaLab.client.call({ do: 'describe' });
      return { scene: answer.scene, edited: store.scene.value, ghosts: answer.ghosts.length, tick: [answer.tick, store.standing.value.tick], links: view.linkCount, width: engine.row.length };
    });
    expect(scene).toEqual(shown.scene);
    expect(shown.edited).toEqual(shown.scene);
    expect(shown.tick[0]).toBe(shown.tick[1]);
    expect(shown.links).toBe(chains.reduce((sum, { length }) => sum + length.length, 0));
    expect(row).toHaveLength(names.length + shown.ghosts * ghostNames.length);
    expect(bodies.length + chains.length).toBeGreaterThanOrEqual(0);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([]));
    if ((await lab.page.getAttribute('html', 'data-theme')) === 'light') await lab.press('theme');
    await isWell();
  });

  test('scrubbing while a bob is held, and letting go afterwards', async () => {
    await lab.fresh(3);
    await lab.step(200);
    const { release } = await lab.drag(2, 0.1, 0.15);
    for (const tick of [150, 20, 180, 90]) await lab.slide('timeline', tick);
    await release();
    const { tick, end } = await lab.state();
    expect(tick).toBeLessThanOrEqual(end);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.run());
    await lab.page.waitForFunction((from) => globalThis.catenaLab.lab.clock.at > from, tick + 5); // time goes on
    // The same with a hand in the motion that runs.
    const { release: letGo } = await lab.drag(1, 0.05, 0.2);
    await lab.slide('timeline', 60);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.run());
    await letGo();
    await isWell();
  });

  test('a scene, a link or a run that is opened while a hand holds something', async () => {
    await lab.fresh(3);
    const { release } = await lab.drag(2, 0.1, 0.15);
    await lab.drop('four-bar.toml', shippedScene('four-bar'));
    await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'four-bar');
    await release();
    await lab.step(10);
    expect((await lab.state()).tick).toBe(10);
    await isWell();
  });

  test('scenes that are changed while a film is made', async () => {
    await lab.fresh(3);
    const { bytes } = await lab.filmed(async () => {
      for (const name of ['gyroscope', 'four-bar', 'kepler', 'chain']) {
        await lab.page.selectOption('[data-control=preset]', name);
        await lab.page.waitForFunction((wanted) => globalThis.catenaLab.store.presetName.value === wanted, name);
        await lab.page.waitForTimeout(200);
      }
      await lab.page.setViewportSize({ width: 900, height: 640 }); // the film keeps its size
      await lab.page.waitForTimeout(300);
    });
    expect(isFilm(bytes)).toBe(true);
    await expect.poll(() => lab.page.evaluate(() => globalThis.catenaLab.store.recording.value)).toBe(false);
    await lab.page.setViewportSize({ width: 1200, height: 760 });
    await isWell();
  });
});
