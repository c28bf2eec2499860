// For hands, keys, eyes and ears of all kinds, and safe on any host.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pageFolder } from '../../paths.ts';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const tabs = ['chain', 'show', 'ghosts', 'build', 'measure', 'compare', 'chaos', 'engine', 'links', 'forces', 'share', 'learn'];

describe('by keyboard', () => {
  test('Tab reaches every control of every panel', async () => {
    await lab.fresh(2);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 1e-3, method: 'rk4', step: 0.01 }]));
    await lab.step(10);
    for (const tab of tabs) {
      await lab.tab(tab);
      await lab.state(); // whoever opens the drawing board goes back to the start
      const wanted = await lab.page.evaluate(() => {
        const all = [...document.querySelectorAll<HTMLElement>('button, input, select, textarea, summary, [tabindex="0"]')].filter((one) => !(one as HTMLButtonElement).disabled && one.checkVisibility() && one.tabIndex >= 0 && one.getClientRects().length > 0);
        all.forEach((one, i) => (one.dataset.counted = String(i)));
        return all.length;
      });
      await lab.page.locator('.picture').focus();
      const reached = new Set<string>();
      for (let i = 0; i < wanted + 12; i++) {
        await lab.page.keyboard.press('Tab');
        const at = await lab.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.counted);
        if (at !== undefined) reached.add(at);
      }
      expect(reached.size, tab).toBe(wanted);
    }
    await lab.page.evaluate(() => document.querySelectorAll('[data-counted]').forEach((one) => one.removeAttribute('data-counted')));
  });

  test('panels, presets, sliders and buttons are worked with keys alone', async () => {
    await lab.fresh(2);
    const key = (name: string) => lab.page.keyboard.press(name);
    await lab.page.locator('[data-tab=chain]').focus();
    await key('ArrowRight');
    expect(await lab.page.getAttribute('[data-tab=show]', 'aria-selected')).toBe('true');
    await key('ArrowRight');
    expect(await lab.page.getAttribute('[data-tab=ghosts]', 'aria-selected')).toBe('true');
    await lab.page.locator('[data-action=add-ghost]').focus();
    await key('Enter');
    expect((await lab.state()).row.length).toBeGreaterThan((await lab.state()).names.length);
    await lab.page.locator('[data-tab=ghosts]').focus();
    await key('ArrowLeft');
    await key('ArrowLeft');
    await lab.page.locator('[data-control=gravity]').focus();
    await key('Home');
    expect((await lab.state()).scene.simulation.gravity).toBe(0);
    await lab.page.locator('[data-typed=links]').focus();
    await lab.page.keyboard.type('12');
    await lab.page.locator('[data-typed=links]').fill('12');
    await key('Enter');
    expect((await lab.state()).chains[0]!.length).toHaveLength(12);
    await lab.page.locator('[data-control=elastic]').focus();
    await key('Space');
    expect((await lab.state()).chains[0]!.elastic).toBe(true);
    await lab.page.locator('[data-control=preset]').focus();
    // Letters count as one word only while they follow one another within a second.
    await expect
      .poll(
        async () => {
          await lab.page.keyboard.type('pendulum');
          return lab.page.evaluate(() => globalThis.catenaLab.store.presetName.value);
        },
        { interval: 1500 },
      )
      .toBe('pendulum');
    await lab.page.locator('[data-action=forward]').focus();
    await key('Enter');
    expect((await lab.state()).tick).toBe(1);
    await lab.page.locator('[data-control=timeline]').focus();
    await key('Home');
    expect((await lab.state()).tick).toBe(0);
  });

  test('a bob is moved out of its plane, nearer and away, in 3D', async () => {
    await lab.fresh(2);
    await lab.press('3d');
    await lab.page.locator('.picture').focus();
    await lab.page.keyboard.press('b');
    for (let i = 0; i < 3; i++) await lab.page.keyboard.press('PageUp');
    expect((await lab.state()).chains[0]!.planar).toBe(false);
    expect(await lab.value('y_1')).toBeGreaterThan(0.05);
    await lab.page.keyboard.press('PageDown');
    await lab.page.keyboard.press('Escape');
    const turned = await lab.page.evaluate(() => globalThis.catenaLab.view.camera());
    await lab.page.keyboard.press('q');
    await lab.page.keyboard.press('+');
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.camera())).not.toEqual(turned);
    await lab.press('2d');
  });
});

describe('by hand', () => {
  test('a button repeats while it is held', async () => {
    await lab.fresh(2);
    const box = (await lab.page.locator('[data-action=forward]').boundingBox())!;
    await lab.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await lab.page.mouse.down();
    await expect.poll(async () => (await lab.state()).tick).toBeGreaterThan(5);
    await lab.page.mouse.up();
    const { tick } = await lab.state();
    await lab.page.waitForTimeout(300);
    expect((await lab.state()).tick).toBeLessThanOrEqual(tick + 1);
  });

  test('the wheel zooms, the background moves the view in 2D and turns it in 3D', async () => {
    await lab.fresh(2);
    const box = (await lab.page.locator('.picture').boundingBox())!;
    const camera = () => lab.page.evaluate(() => globalThis.catenaLab.view.camera());
    const corner = { x: box.x + 60, y: box.y + box.height - 150 };
    await lab.page.mouse.move(corner.x, corner.y);
    await lab.page.mouse.wheel(0, -300);
    await expect.poll(async () => (await camera())[6]).toBeGreaterThan(1.3);
    const before = await camera();
    await lab.page.mouse.down();
    await lab.page.mouse.move(corner.x + 50, corner.y - 30);
    await lab.page.mouse.up();
    expect((await camera())[7]).not.toBe(before[7]);
    await lab.page.keyboard.press('f');
    expect((await camera()).slice(6)).toEqual([1, 0, 0]);
    await lab.press('3d');
    const still = await camera();
    await lab.page.mouse.move(corner.x, corner.y);
    await lab.page.mouse.down();
    await lab.page.mouse.move(corner.x + 80, corner.y - 20, { steps: 3 });
    await lab.page.mouse.up();
    expect(Math.hypot(...(await camera()).slice(0, 3).map((c, i) => c - still[i]!))).toBeGreaterThan(0.1);
    await lab.press('2d');
  });

  test('two fingers zoom on a phone, in 2D and in 3D', async () => {
    const phone = await LabPage.open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
    const client = await phone.page.context().newCDPSession(phone.page);
    const box = (await phone.page.locator('.picture').boundingBox())!;
    const fingers = (gap: number) => [-1, 1].map((side, id) => ({ x: box.x + box.width / 2 + (side * gap) / 2, y: box.y + box.height - 130, id }));
    const pinch = async () => {
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(60).slice(0, 1) });
      await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(60) });
      for (const gap of [90, 130, 180]) await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(gap) });
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const camera = () => phone.page.evaluate(() => globalThis.catenaLab.view.camera());
    await pinch();
    expect((await camera())[6]).toBeGreaterThan(1.5);
    await phone.press('3d');
    const distance = async () => {
      const values = await camera();
      return Math.hypot(...[0, 1, 2].map((i) => values[i]! - values[i + 3]!));
    };
    const far = await distance();
    await pinch();
    await phone.drawn();
    expect(await distance()).toBeLessThan(far);
    // All tabs are reached, and nothing is wider than the screen.
    for (const tab of ['share', 'learn']) await phone.tab(tab);
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(phone.problems).toEqual([]);
    await phone.close();
  });
});

describe('for eyes and ears', () => {
  test('reduced motion: nothing moves by itself; otherwise the chain runs', async () => {
    const lively = await LabPage.open(browser, server.address, { reducedMotion: 'no-preference' });
    await expect.poll(async () => (await lively.state()).tick).toBeGreaterThan(0);
    expect((await lively.state()).running).toBe(true);
    await lively.close();
    const calm = await LabPage.open(browser, server.address);
    expect((await calm.state()).running).toBe(false);
    expect((await calm.state()).tick).toBe(0);
    const seconds = await calm.page.evaluate(() => getComputedStyle(document.querySelector('.check input')!).transitionDuration);
    expect(Number.parseFloat(seconds)).toBe(0);
    await calm.close();
  });

  test('dark or light as the system asks, until one chooses', async () => {
    for (const scheme of ['dark', 'light'] as const) {
      const page = await LabPage.open(browser, server.address, { colorScheme: scheme });
      expect(await page.page.getAttribute('html', 'data-theme')).toBe(scheme);
      await page.page.keyboard.press('d');
      expect(await page.page.getAttribute('html', 'data-theme')).toBe(scheme === 'dark' ? 'light' : 'dark');
      await page.close();
    }
  });

  test('every control has a name, pictures say what they show, and messages are spoken', async () => {
    await lab.fresh(3, true);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 1e-3, method: '' }]));
    for (const tab of tabs) {
      await lab.tab(tab);
      const tree = await lab.page.locator('body').ariaSnapshot();
      const nameless = tree.split('\n').filter((line) => /^\s*- (button|slider|textbox|spinbutton|combobox|switch|checkbox|img|meter|tab)(?! "|\w)/.test(line));
      expect(nameless, tab).toEqual([]);
    }
    await lab.step(60);
    await expect.poll(() => lab.page.getAttribute('.picture', 'aria-label')).toMatch(/3 elastic links at 0\.5 seconds/);
    expect(await lab.page.getAttribute('.notices', 'aria-live')).toBe('polite');
    expect(await lab.page.getAttribute('.notices', 'role')).toBe('status');
  });

  test('on a wall nothing overlaps or leaves the screen', async () => {
    const wall = await LabPage.open(browser, server.address, { viewport: { width: 3000, height: 1600 } });
    const boxes = await wall.page.evaluate(() => ['header', '.stage', '.side', '.plots'].map((name) => document.querySelector(name)!.getBoundingClientRect().toJSON() as DOMRect));
    for (const { left, right, top, bottom } of boxes) {
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(3000);
      expect(bottom).toBeLessThanOrEqual(1600);
    }
    const apart = (a: DOMRect, b: DOMRect) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
    boxes.forEach((box, i) => boxes.slice(i + 1).forEach((other) => expect(apart(box, other)).toBe(true)));
    await wall.close();
  });
});

describe('nothing foreign runs', () => {
  const policyOf = (html: string) => /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!.replaceAll('&#39;', "'");

  test('the policy of both pages allows no inline script, no eval, no foreign host', async () => {
    const served = policyOf(readFileSync(`${pageFolder}/page/index.html`, 'utf8'));
    const single = policyOf(readFileSync(`${pageFolder}/lab.html`, 'utf8'));
    for (const policy of [served, single]) {
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
      expect(policy).toContain("'wasm-unsafe-eval'");
      expect(policy).toContain('worker-src blob:');
    }
    expect(served).toContain("script-src 'self'");
    expect(single).toMatch(/script-src 'sha256-[^']+' 'wasm-unsafe-eval'/);
    expect(single).toContain("connect-src 'none'");
    expect(readFileSync(`${pageFolder}/page/index.html`, 'utf8')).not.toMatch(/<script(?![^>]*src=)/);
  });

  test('a script that gets into the page does not run', async () => {
    const page = await LabPage.open(browser, server.address);
    const ran = await page.page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.intruder = true';
      document.body.append(script);
      setTimeout('window.evaluated = true');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { inline: 'intruder' in window, evaluated: 'evaluated' in window };
    });
    expect(ran).toEqual({ inline: false, evaluated: false });
    expect(page.problems.every((text) => /Content Security Policy/.test(text))).toBe(true);
    await page.close();
  });

  test('a formula is a formula for the core, never script', async () => {
    await lab.fresh(2);
    await lab.tab('forces');
    await lab.page.selectOption('[data-control=force-kind]', 'formula');
    await lab.press('add-force');
    await lab.state();
    await lab.page.fill('[data-field="forces.0.force"]', '[window.intruder=1, 0, 0]');
    await lab.page.press('[data-field="forces.0.force"]', 'Enter');
    await lab.page.waitForSelector('[data-shows=field-mistake]');
    expect(await lab.page.evaluate(() => 'intruder' in window)).toBe(false);
  });
});
