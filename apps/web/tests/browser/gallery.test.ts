// Scenes to choose from: pictures, groups, search, those opened last and one's own.
import { expect, test } from 'vitest';
import path from 'node:path';
import { lab, withLab } from './page';

withLab();

const pictures = process.env.CATENA_PICTURES;
const names = () => lab.page.$$eval('.gallery [data-scene]', (entries) => entries.map((entry) => (entry as HTMLElement).dataset.scene));

test('every shipped scene is there with its picture, and words find it in both languages', async () => {
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
