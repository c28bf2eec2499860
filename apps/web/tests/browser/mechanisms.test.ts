// Bodies and joints on the page: presets, hands, ghosts, links, recorded runs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catena } from '../support';
import { browser, lab, LabPage, withLab } from './page';

withLab();

describe('a mechanism in a hand', () => {
  test('a body follows the mouse as far as its joints allow, glows, and stands still', async () => {
    await lab.preset('four-bar');
    await lab.press('2d');
    await lab.runFor(0.2);
    const rocker = (await lab.state()).bodies.findIndex(({ name }) => name === 'rocker');
    const before = await lab.value('x_rocker');
    const { release } = await lab.drag(rocker, -0.1, -0.25);
    await lab.state();
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(rocker);
    await release();
    expect(Math.abs((await lab.value('x_rocker')) - before)).toBeGreaterThan(0.01);
    expect(await lab.value('constraint_error')).toBeLessThan(1e-11);
    expect(await lab.value('kinetic')).toBeLessThan(1e-20);
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.glowing)).toBe(null);
    const dragged = await lab.value('x_rocker');
    await lab.runFor(0.5);
    expect(Math.abs(await lab.value('energy_error'))).toBeLessThan(1e-9);
    await lab.press('reset');
    expect(await lab.value('x_rocker')).toBeCloseTo(dragged, 10);
    await lab.page.keyboard.press('Shift+R');
    expect(await lab.value('x_rocker')).not.toBeCloseTo(dragged, 3);
  });

  test('step back goes through a drag with the same bits', async () => {
    await lab.preset('slider-crank');
    await lab.step(30);
    const there = (await lab.state()).row;
    await (await lab.drag(0, 0.1, 0.1)).release();
    await lab.step(20);
    const far = (await lab.state()).row;
    await lab.page.evaluate(() => globalThis.catenaLab.lab.go(29));
    await lab.page.evaluate(() => globalThis.catenaLab.lab.go(50));
    expect((await lab.state()).row).toEqual(far);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.go(29));
    await lab.step(1);
    expect((await lab.state()).row).not.toEqual(there); // the drag was made at this tick
  });

  test('the keyboard moves it, too', async () => {
    await lab.preset('rod-pendulum');
    await lab.page.locator('.picture').focus();
    await lab.page.keyboard.press('b');
    const { bodies } = await lab.state();
    const name = bodies.find(({ fixed }) => !fixed)!.name;
    expect(await lab.page.textContent('.badge >> nth=0')).toContain(name);
    const before = await lab.value(`x_${name}`);
    for (let i = 0; i < 3; i++) await lab.page.keyboard.press('ArrowRight');
    expect(await lab.value(`x_${name}`)).not.toBeCloseTo(before, 3);
    expect(await lab.value('constraint_error')).toBeLessThan(1e-11);
    await lab.page.keyboard.press('Escape');
  });
});

test('a ghost of a mechanism starts beside it and parts from it', async () => {
  await lab.preset('rod-pendulum');
  await lab.page.click('[data-control=ghost]');
  await lab.state();
  const distance = () => lab.page.evaluate(() => globalThis.catenaLab.lab.divergence.of(0).distance);
  const first = await distance();
  expect(first).toBeGreaterThan(1e-5);
  expect(first).toBeLessThan(1e-2);
  await lab.step(120 * 4);
  expect(await distance()).toBeGreaterThan(2 * first);
  await lab.tab('ghosts');
  expect(await lab.page.getAttribute('[role=meter]', 'aria-valuenow')).not.toBe(null);
  await lab.tab('chain');
  await lab.page.click('[data-control=ghost]');
  await lab.state();
});

test('what belongs to chains says so, and the rest works', async () => {
  await lab.preset('four-bar');
  expect(await lab.page.textContent('[data-shows=mechanism]')).toMatch(/belong to chains/);
  for (const name of ['damping', 'elastic', 'stiffness']) expect(await lab.page.isDisabled(`[data-control=${name}]`), name).toBe(true);
  await lab.slide('gravity', 2);
  expect((await lab.state()).scene.simulation.gravity).toBe(2);
  await lab.tab('learn');
  expect(await lab.page.textContent('[data-shows=equations]')).toContain('λ');
  await lab.tab('links');
  expect(await lab.page.textContent('.panel .lead')).toMatch(/no chain/);
  expect(await lab.page.getAttribute('.picture', 'aria-label')).toMatch(/3 bodies and 4 joints/);
  await lab.tab('chain');
});

test('a scene of milliseconds is shown in slow motion, with rows as close as that needs', async () => {
  await lab.preset('seven-body');
  expect(await lab.page.evaluate(() => globalThis.catenaLab.store.speed.value)).toBeLessThan(0.01);
  await lab.step(100);
  const { row, names, tick } = await lab.state();
  expect(tick).toBe(100);
  expect(row[names.indexOf('t')]).toBeCloseTo(0.03 / 6, 12);
  await lab.preset('four-bar');
  expect(await lab.page.evaluate(() => globalThis.catenaLab.store.speed.value)).toBe(1);
  await lab.page.evaluate(() => globalThis.catenaLab.actions.setSpeed(3));
});

test('a share link of a mechanism with a ghost goes on with the same bits', async () => {
  await lab.preset('four-bar');
  await lab.page.click('[data-control=ghost]');
  await lab.runFor(0.3);
  const link = await lab.link();
  const other = await LabPage.open(browser, link);
  expect((await other.state()).row).toEqual((await lab.state()).row);
  for (const page of [lab, other]) {
    const { tick } = await page.state();
    await page.step(50);
    await expect.poll(async () => (await page.state()).tick).toBe(tick + 50);
  }
  expect((await other.state()).row).toEqual((await lab.state()).row);
  expect(other.problems).toEqual([]);
  await other.close();
  await lab.tab('chain');
  await lab.page.click('[data-control=ghost]');
  await lab.state();
});

test('a system given by its Lagrangian is a point in the space of its coordinates', async () => {
  await lab.preset('kepler');
  expect(await lab.page.textContent('[data-shows=mechanism]')).toMatch(/given by its Lagrangian/);
  expect(await lab.page.locator('[data-control=gravity], [data-control=links]').count()).toBe(0);
  expect(await lab.page.isVisible('[data-control="parameter-mu"]')).toBe(true);
  await lab.page.click('[data-control=ghost]');
  await lab.step(300);
  await lab.drawn();
  const place = await lab.page.evaluate(() => globalThis.catenaLab.view.placeOf(0));
  expect(place[0]).toBeCloseTo(await lab.value('x'), 5);
  expect(place[2]).toBeCloseTo(await lab.value('y'), 5);
  expect((await lab.page.evaluate(() => globalThis.catenaLab.lab.divergence.of(0))).distance).toBeGreaterThan(1e-4);
  const before = (await lab.state()).row;
  await lab.page.evaluate(() => globalThis.catenaLab.lab.go(100));
  await lab.page.evaluate(() => globalThis.catenaLab.lab.go(300));
  expect((await lab.state()).row).toEqual(before);
  await lab.tab('learn');
  expect(await lab.page.textContent('[data-shows=equations]')).toContain('∂L');
  await lab.tab('chain');
  await lab.page.click('[data-control=ghost]');
  await lab.state();
});

describe('recorded runs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'catena-page-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ['four-bar', 'h5', 'x_coupler'],
    ['four-bar', 'npz', 'x_coupler'],
    ['double-pendulum', 'h5', 'x_2'],
    ['double-pendulum', 'json', 'x_2'],
  ])('%s from .%s is scrubbed on the timeline', async (scene, ending, column) => {
    const file = path.join(folder, `${scene}.${ending}`);
    const text = path.join(folder, `${scene}.csv`);
    execFileSync(catena, ['run', scene, '--duration', '2', '-f', '-o', file, '-o', text], { stdio: 'ignore' });
    const [header, ...lines] = readFileSync(text, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
    const at = header!.split(',').indexOf(column);
    await lab.tab('share');
    await lab.page.setInputFiles('[data-control=file]', file);
    await lab.page.waitForSelector('[data-action=close-trajectory]');
    await lab.slide('timeline', 60);
    const thing = scene === 'four-bar' ? 1 : 1; // the coupler, the second bob
    const expected = Number(lines[60]!.split(',')[at]);
    await lab.page.waitForFunction(([i, x]) => Math.abs(globalThis.catenaLab.view.placeOf(i!)[0] - x!) < 1e-5, [thing, expected]);
    // It plays up to its end, and stops there.
    await lab.press('run');
    await lab.page.waitForFunction(() => document.querySelector<HTMLInputElement>('[data-control=timeline]')!.value === '200');
    await lab.press('close-trajectory');
  });

  test('a damaged one is refused with a reason', async () => {
    await lab.page.setInputFiles('[data-control=file]', { name: 'bad.h5', mimeType: 'application/x-hdf5', buffer: Buffer.from('no such thing') });
    await lab.page.waitForSelector('[data-notice=mistake] >> text=bad.h5');
    expect(await lab.page.locator('[data-action=close-trajectory]').count()).toBe(0);
    await lab.tab('chain');
  });
});
