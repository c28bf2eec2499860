// Phones, desks and walls: what belongs together is seen together, and nothing covers what it is about.
import { describe, expect, test } from 'vitest';
import ja from '../../src/texts/ja.json';
import jaEngine from '../../src/texts/ja.engine.json';
import en from '../../src/texts/en.json';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const touch = { hasTouch: true, isMobile: true, deviceScaleFactor: 1 };
const upright = { viewport: { width: 390, height: 844 }, ...touch };
const onItsSide = { viewport: { width: 844, height: 390 }, ...touch };
const tabs = ['chain', 'show', 'ghosts', 'build', 'measure', 'compare', 'chaos', 'engine', 'links', 'forces', 'share', 'learn'];

const boxOf = async (page: LabPage, selector: string) => (await page.page.locator(selector).first().boundingBox())!;

function apart(a: { x: number; y: number; width: number; height: number }, b: typeof a): boolean {
  return a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1 || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;
}

describe.each([
  ['390 x 844', upright],
  ['844 x 390', onItsSide],
])('a phone of %s', (_name, options) => {
  test('picture, transport and plots are on the screen together, and nothing scrolls away', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    const { width, height } = options.viewport;
    for (const selector of ['.picture', '[data-action=run]', '[data-control=timeline]', '.plots figure', '.tabs', '[data-control=preset]']) {
      const box = await boxOf(phone, selector);
      expect(box.x, selector).toBeGreaterThanOrEqual(-1);
      expect(box.y, selector).toBeGreaterThanOrEqual(-1);
      expect(box.x + Math.min(box.width, width), selector).toBeLessThanOrEqual(width + 1);
      expect(box.y + box.height, selector).toBeLessThanOrEqual(height + 1);
    }
    expect((await boxOf(phone, '.picture')).height).toBeGreaterThan(190);
    expect((await boxOf(phone, '[data-control=preset]')).width).toBeGreaterThan(90);
    expect(await phone.page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth])).toEqual([height, width]);
    expect(phone.problems).toEqual([]);
    await phone.close();
  });

  test('everything that is pressed has 44 pixels', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    await phone.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 1e-3, method: 'rk4', step: 0.01 }]));
    for (const tab of tabs) {
      await phone.page.evaluate((id) => {
        globalThis.catenaLab.store.openPanel.value = id;
        globalThis.catenaLab.store.sheetOpen.value = true;
      }, tab);
      await phone.drawn();
      const small = await phone.page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('button, select, input:not([type=file])')]
          .filter((one) => one.offsetParent !== null)
          .map((one) => (one.matches('.check input') ? one.closest<HTMLElement>('.check')! : one))
          .map((one) => ({ html: one.outerHTML.slice(0, 90), box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
          .map(({ html, box }) => `${box.width} x ${box.height}: ${html}`),
      );
      expect(small, tab).toEqual([]);
    }
    await phone.close();
  });

  test('what is seen is beside or above axes and scale, and names do not lie on one another', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    const notes = (names: boolean, axes: boolean) => phone.page.evaluate(([a, b]) => globalThis.catenaLab.actions.setNotes({ names: a!, axes: b! }), [names, axes]);
    for (const name of ['coupled-pendulums', 'double-pendulum', 'boxes-on-a-hinge', 'plank-swing', 'four-bar-row', 'slider-crank', 'rod-pendulum', 'governor', 'catenary']) {
      await phone.preset(name);
      await phone.step(150);
      await phone.drawn();
      const { labels, bottom, beside, corner } = await phone.page.evaluate(() => {
        const { view } = globalThis.catenaLab;
        const { beside, corner, underneath } = view['cameras'];
        const placed = view.labels.placed.map(({ text, x, y, align }) => ({ text, x, y, align: align ?? 'left', size: view.labels.scale }));
        return { labels: placed, bottom: view.canvas.clientHeight - underneath, beside, corner };
      });
      // Names: as boxes of their letters.
      const boxes = labels.filter(({ align }) => align === 'left').map(({ text, x, y, size }) => ({ text, x, y: y - 6 * size, width: 6 * size * text.length, height: 12 * size }));
      boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => expect(apart(a, b), `${name}: ${a.text} and ${b.text}`).toBe(true)));
      // Pixels where axes and scale are drawn, without them, names, trails and fields. In space the floor is everywhere.
      const flat = await phone.page.evaluate(() => globalThis.catenaLab.store.mode.value === '2d');
      const things = await phone.page.evaluate(() => {
        const { view, store } = globalThis.catenaLab;
        return [...Array(view.linkCount + store.description.value!.bodies.length).keys()].map((i) => view.screenOf(i));
      });
      const [width, height] = [beside ? corner.width : 10 + 1.1 * 50 + corner.width - 20, beside ? 62 : corner.height];
      expect(things.filter(({ x, y }) => x < width && y > bottom - height), name).toEqual([]);
      if (flat) {
        await phone.plain();
        await phone.page.evaluate(([w, h]) => (globalThis.catenaLab.view['cameras'].corner = { width: w!, height: h! }), [corner.width, corner.height]); // as it is with axes
        const grid = Array.from({ length: 400 }, (_, k) => ({ x: ((k % 20) + 0.5) * (width / 20), y: bottom - (Math.floor(k / 20) + 0.5) * (height / 20) }));
        const drawn = await phone.drawnAt(grid, 1);
        expect(grid.filter((_, i) => drawn[i]), name).toEqual([]);
        await notes(true, true);
        await phone.page.evaluate(() => globalThis.catenaLab.actions.setTrace(true));
      }
    }
    expect(phone.problems).toEqual([]);
    await phone.close();
  });

  test('values in the legends are whole', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    for (const name of ['cart-pole-balanced', 'governor', 'coupled-pendulums']) {
      await phone.preset(name);
      await phone.step(100);
      await phone.plotted('angles');
      const cut = await phone.page.evaluate(() => {
        const legend = document.querySelector('.plots figure .legend')!;
        const room = legend.getBoundingClientRect();
        legend.scrollTo(1e6, 1e6);
        const values = [...legend.querySelectorAll('.value')].map((one) => one.getBoundingClientRect());
        return { last: values[values.length - 1]!.right - room.right, wide: values.filter(({ width }) => width < 8).length };
      });
      expect(cut.last, name).toBeLessThanOrEqual(0);
      expect(cut.wide, name).toBe(0);
    }
    await phone.close();
  });

  test('plots are swiped through one by one', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    const shown = () => phone.page.evaluate(() => {
      const { left, width } = document.querySelector('.plots')!.getBoundingClientRect();
      return [...document.querySelectorAll('.plots figure')].findIndex((figure) => Math.abs(figure.getBoundingClientRect().left - left) < width / 3);
    });
    expect(await shown()).toBe(0);
    await phone.page.evaluate(() => document.querySelector('.plots')!.scrollBy({ left: 250, behavior: 'instant' }));
    await expect.poll(shown).toBe(1);
    // By a finger on the plot itself.
    const { x, y, width, height } = await boxOf(phone, '.plots');
    const client = await phone.page.context().newCDPSession(phone.page);
    const finger = (part: number) => [{ x: x + part * width, y: y + 0.7 * height }];
    const swipe = async () => {
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: finger(0.2) });
      for (let i = 1; i <= 10; i++) {
        await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: finger(0.2 + 0.06 * i) });
        await phone.page.waitForTimeout(20);
      }
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await phone.page.waitForTimeout(500);
      return shown();
    };
    await expect.poll(swipe, { timeout: 60_000 }).toBe(0);
    expect(await swipe()).toBe(0); // at the first one a swipe leaves the page where it is
    await phone.close();
  });

  test('the tour stands beside the picture', async () => {
    const phone = await LabPage.open(browser, server.address, options);
    await phone.tab('learn');
    await phone.press('tour');
    await phone.page.waitForSelector('.tour');
    expect(apart(await boxOf(phone, '.tour'), await boxOf(phone, '.picture'))).toBe(true);
    expect(apart(await boxOf(phone, '.tour'), await boxOf(phone, '.plots figure'))).toBe(true);
    await phone.close();
  });
});

describe('an upright phone', () => {
  test('panels are a sheet under a fixed stage: the open tab closes it, and the stage grows', async () => {
    const phone = await LabPage.open(browser, server.address, upright);
    const before = (await boxOf(phone, '.picture')).height;
    await phone.page.evaluate(() => document.querySelector('.tab-body')!.scrollTo(0, 200));
    expect((await boxOf(phone, '.picture')).y).toBeLessThan(80);
    await phone.tab('chain');
    expect((await boxOf(phone, '.picture')).height).toBeGreaterThan(before + 150);
    await phone.tab('share');
    expect((await boxOf(phone, '.picture')).height).toBeCloseTo(before, 0);
    expect(await phone.page.isVisible('[data-action=share]')).toBe(true);
    await phone.close();
  });

  test('help is for fingers', async () => {
    const phone = await LabPage.open(browser, server.address, upright);
    await phone.press('help');
    expect(await phone.page.textContent('[data-shows=touch-help]')).toMatch(/Two fingers/);
    await phone.press('close-help');
    await lab.press('help');
    expect(await lab.page.locator('[data-shows=touch-help]').count()).toBe(0);
    await lab.press('close-help');
    await phone.close();
  });
});

describe('a desk', () => {
  test('a notice moves the picture out of its way', async () => {
    await lab.load('[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "180 deg"');
    const bob = () => lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(0).y);
    const before = await bob();
    await lab.page.evaluate(() => globalThis.catenaLab.store.notify('warning', 'one\ntwo\nthree\nfour\nfive', 60));
    const box = await boxOf(lab, '.notice');
    const top = (await boxOf(lab, '.picture')).y;
    await expect.poll(bob, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    await expect.poll(async () => (await bob()) + top).toBeGreaterThan(box.y + box.height);
    await lab.page.click('.notice button');
    await expect.poll(bob).toBeCloseTo(before, 0);
  });

  test('the tour covers neither picture nor plots, and gives the work back', async () => {
    await lab.preset('four-bar');
    await lab.step(60);
    const before = await lab.state();
    await lab.press('start-tour');
    await lab.press('tour-next');
    for (const other of ['.picture', '.plots']) expect(apart(await boxOf(lab, '.tour'), await boxOf(lab, other)), other).toBe(true);
    await lab.press('tour-close');
    await expect.poll(() => lab.page.evaluate(() => globalThis.catenaLab.store.presetName.value)).toBe('four-bar');
    const after = await lab.state();
    expect(after.row).toEqual(before.row);
    expect(after.tick).toBe(before.tick);
  });

  test('type grows with the screen, and wide screens use their side', async () => {
    const sizes: number[] = [];
    const marks: number[] = []; // of what is written in the picture
    for (const [width, height] of [[1366, 768], [1920, 1080], [2560, 1440]] as const) {
      const page = await LabPage.open(browser, server.address, { viewport: { width, height } });
      marks.push(await page.page.evaluate(() => globalThis.catenaLab.view.labels.scale));
      sizes.push(await page.page.evaluate(() => Number.parseFloat(getComputedStyle(document.querySelector('.control label')!).fontSize)));
      const lefts = await page.page.evaluate(() => new Set([...document.querySelectorAll('.panel .control')].map((one) => Math.round(one.getBoundingClientRect().left))).size);
      expect(lefts).toBe(width < 1800 ? 1 : 2);
      // No digits are cut off in what is typed.
      for (const box of await page.page.locator('.typed').all()) expect(await box.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
      await page.close();
    }
    expect(sizes[1]).toBeGreaterThan(sizes[0]! * 1.1);
    expect(sizes[2]).toBeGreaterThan(sizes[1]! * 1.1);
    marks.forEach((scale, i) => expect(scale / marks[0]!).toBeCloseTo(sizes[i]! / sizes[0]!, 2));
  });

  test('headings go down one step at a time', async () => {
    for (const tab of tabs) {
      await lab.tab(tab);
      const levels = await lab.page.evaluate(() => [...document.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5')].filter((one) => one.offsetParent !== null).map((one) => Number(one.tagName[1])));
      expect(levels[0]).toBe(1);
      levels.forEach((level, i) => i > 0 && expect(level - levels[i - 1]!, `${tab}: ${levels.join()}`).toBeLessThanOrEqual(1));
    }
    await lab.tab('chain');
  });
});

describe('both languages', () => {
  test('every text of the page, every scene, method, law and field', async () => {
    const known = { ...ja, ...jaEngine } as Record<string, string>;
    expect(Object.keys(en).filter((key) => !known[key])).toEqual([]);
    await lab.page.selectOption('[data-control=language]', 'ja');
    await lab.tab('forces');
    const engine = await lab.page.evaluate(() => {
      const options = (control: string) => [...document.querySelectorAll<HTMLOptionElement>(`[data-control=${control}] option`)].map(({ value }) => value);
      const { methods } = globalThis.catenaLab.store.info.value!;
      return { methods: methods.map(({ name }) => name), laws: options('force-kind'), scenes: options('preset').filter((value) => value && !['chain', 'drawing'].includes(value)) };
    });
    expect(engine.scenes.filter((name) => !known[`scene.${name}`])).toEqual([]);
    expect(engine.methods.filter((name) => !known[`method.${name}`])).toEqual([]);
    expect(engine.laws.length).toBeGreaterThan(10);
    expect(engine.laws.filter((name) => !known[`law.${name}`])).toEqual([]);
    // What is shown has no sentence left in English.
    await lab.preset('drag-and-wind');
    for (const tab of tabs) {
      await lab.tab(tab);
      await lab.state();
      const words = await lab.page.evaluate(() =>
        [...document.querySelectorAll('#panel .lead, #panel .remark, #panel small, #panel p:not(.equation):not(.derived)')]
          .map((one) => {
            const copy = one.cloneNode(true) as Element;
            copy.querySelectorAll('[lang=en]').forEach((foreign) => foreign.remove());
            return copy.textContent ?? '';
          }));
      expect(words.filter((text) => /[a-z]+ [a-z]+ [a-z]+ [a-z]+/.test(text)), tab).toEqual([]);
    }
    await lab.page.selectOption('[data-control=language]', 'en');
    await lab.tab('chain');
  });
});
