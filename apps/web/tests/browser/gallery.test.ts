// Scenes to choose from: pictures, groups, search, those opened last and one's own.
import { expect, test } from 'vitest';
import path from 'node:path';
import { lab, withLab } from './page';

withLab();

const pictures = process.env.CATENA_PICTURES;
const names = () => lab.page.$$eval('.gallery [data-scene]', (entries) => entries.map((entry) => (entry as HTMLElement).dataset.scene));

test('every shipped scene is there with its picture, and words find it', async () => {
  await lab.press('gallery');
  const shipped = await lab.page.$$eval('[data-control=preset] option', (options) => options.map((option) => (option as HTMLOptionElement).value).filter((name) => name && !['chain', 'drawing'].includes(name)));
  expect(new Set(await names())).toEqual(new Set(shipped));
  await lab.page.waitForFunction(() => [...document.querySelectorAll('.gallery .figure')].every((figure) => figure.childElementCount > 0));
  if (pictures) await lab.page.screenshot({ path: path.join(pictures, 'gallery.png') });
  await lab.page.fill('[data-control=gallery-search]', 'four bar');
  expect(await names()).toContain('four-bar');
  expect((await names()).length).toBeLessThan(6);
  await lab.page.fill('[data-control=gallery-search]', 'xyzzy');
  expect(await names()).toEqual([]);
  await lab.page.fill('[data-control=gallery-search]', '');
});

test('opening one keeps the work before it, and it is among those opened last', async () => {
  const before = await lab.page.evaluate(() => JSON.stringify(globalThis.catenaLab.store.scene.value));
  await lab.page.click('.gallery [data-scene=slider-crank]');
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'slider-crank');
  await lab.state();
  await lab.press('undo');
  await expect.poll(() => lab.page.evaluate(() => JSON.stringify(globalThis.catenaLab.store.scene.value))).toBe(before);
  await lab.press('gallery');
  expect((await names())[0]).toBe('slider-crank');
  // One's own.
  await lab.page.fill('[data-control=own-name]', 'mine');
  await lab.press('keep-own');
  expect(await names()).toContain('mine');
  await lab.page.click('.gallery [data-scene=mine]');
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'mine');
  expect(await lab.page.evaluate(() => JSON.stringify(globalThis.catenaLab.store.scene.value))).toBe(before);
});

test('in Japanese: names of groups, summaries and search', async () => {
  await lab.press('gallery').catch(() => undefined);
  if (!(await lab.page.locator('.gallery [data-scene]').count())) await lab.press('gallery');
  const english = await lab.page.$$eval('.gallery [data-scene=four-bar] small', ([one]) => one!.textContent!);
  await lab.press('close-gallery');
  await lab.page.selectOption('[data-control=language]', 'ja');
  await lab.press('gallery');
  const texts = await lab.page.$$eval('.gallery h2, .gallery h3, .gallery .entry small', (all) => all.map((one) => one.textContent!));
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter((text) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(text))).toEqual([]);
  const summary = await lab.page.$$eval('.gallery [data-scene=four-bar] small', ([one]) => one!.textContent!);
  expect(summary).not.toBe(english);
  await lab.page.fill('[data-control=gallery-search]', '振り子');
  const found = await names();
  expect(found).toContain('double-pendulum');
  expect(found).not.toContain('four-bar');
  if (pictures) await lab.page.screenshot({ path: path.join(pictures, 'gallery-ja.png') });
  await lab.page.fill('[data-control=gallery-search]', '');
  await lab.press('close-gallery');
  await lab.page.selectOption('[data-control=language]', 'en');
});

test('what cannot be kept is not said to be; one of the same name is replaced by a button that says so', async () => {
  await lab.press('gallery');
  await lab.page.fill('[data-control=own-name]', 'twice');
  await lab.press('keep-own');
  const before = await lab.page.textContent('[data-action=keep-own]');
  await expect.poll(() => lab.page.evaluate(() => globalThis.catenaLab.store.notices.value.at(-1)?.text)).toContain('twice is kept');
  expect(before).toContain('Replace');
  await lab.page.evaluate(() => {
    Object.assign(globalThis, { put: Storage.prototype.setItem });
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await lab.page.fill('[data-control=own-name]', 'thrice');
  await lab.press('keep-own');
  await expect.poll(() => lab.page.evaluate(() => globalThis.catenaLab.store.notices.value.at(-1)?.kind)).toBe('warning');
  expect(await names()).not.toContain('thrice');
  await lab.page.evaluate(() => (Storage.prototype.setItem = (globalThis as unknown as { put: typeof Storage.prototype.setItem }).put));
  await lab.press('close-gallery');
});
