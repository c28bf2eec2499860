// The equations of what is on the screen, and the part under the pointer in them.
import { expect, test } from 'vitest';
import { lab, withLab } from './page';

withLab();

const shown = async () => (await lab.page.textContent('[data-shows=equations]'))!.replace(/\s+/g, ' ');
const marked = () => lab.page.evaluate(() => [...new Set([...document.querySelectorAll<HTMLElement>('.piece.marked')].map((one) => one.dataset.part))]);

test('they are those of the scene, with its numbers put in on demand', async () => {
  await lab.preset('double-pendulum');
  await lab.tab('learn');
  await lab.page.waitForSelector('.derived');
  expect(await shown()).toContain('Equations of motion');
  expect(await shown()).toMatch(/θ.{0,3}″/);
  expect(await lab.page.locator('.derived [data-part="2"]').count()).toBeGreaterThan(5);
  const before = await shown();
  await lab.page.click('[data-control=numbers]');
  expect(await shown()).not.toBe(before);
  const motion = await lab.page.locator('.derived').last().textContent();
  expect(motion).toContain('9.81');
  expect(motion).not.toMatch(/m\d|g/);
  await lab.page.click('[data-control=numbers]');
});

test('they follow a change of the scene', async () => {
  await lab.fresh(1);
  await lab.tab('learn');
  await lab.page.waitForFunction(() => document.querySelectorAll('.derived').length > 0 && !document.querySelector('.derived [data-part="2"]'));
  await lab.page.click('[data-control=numbers]');
  await expect.poll(shown).toContain('9.81');
  await lab.tab('chain');
  await lab.type('gravity', 3.25);
  await lab.state();
  await lab.tab('learn');
  await expect.poll(shown).toContain('3.25');
  await lab.page.click('[data-control=numbers]');
});

test('the part under the pointer is marked in them, and a symbol shows its part', async () => {
  await lab.preset('slider-crank');
  await lab.tab('learn');
  await lab.page.waitForSelector('.derived [data-part="connecting-rod"]');
  await lab.drawn();
  const { x, y } = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(1));
  const box = (await lab.page.locator('.picture').boundingBox())!;
  await lab.page.mouse.move(box.x + x - 3, box.y + y);
  await lab.page.mouse.move(box.x + x, box.y + y);
  await expect.poll(marked).toEqual(['connecting-rod']);
  const color = await lab.page.evaluate(() => getComputedStyle(document.querySelector('.piece.marked')!).outlineStyle);
  expect(color).toBe('solid');
  await lab.page.mouse.move(box.x + 20, box.y + 100);
  await expect.poll(marked).toEqual([]);
  await lab.page.hover('.derived [data-part="crank"] >> nth=0');
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(0);
  await lab.page.mouse.move(box.x + 20, box.y + 100);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(null);
});

test('what cannot be written out says why, beside the general form', async () => {
  await lab.preset('coupled-pendulums');
  await lab.tab('learn');
  await lab.page.waitForSelector('[data-shows=no-equations]');
  expect(await lab.page.textContent('[data-shows=no-equations]')).toMatch(/one chain/);
  expect(await lab.page.locator('.equation').count()).toBeGreaterThan(2);
  await lab.tab('chain');
});
