// What goes in and out: the clipboard, dropped files, links with forces, films.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catena, shippedScene } from '../support';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const clipboard = () => lab.page.evaluate(() => navigator.clipboard.readText());

// Adds a law of the forces panel and fills in fields.
async function force(kind: string, fields: Record<string, string>, index = 0) {
  await lab.tab('forces');
  await lab.page.selectOption('[data-control=force-kind]', kind);
  await lab.press('add-force');
  await lab.state();
  for (const [name, text] of Object.entries(fields)) {
    const field = `[data-field="forces.${index}.${name}"]`;
    await lab.page.fill(field, text);
    await lab.page.press(field, 'Enter');
    await lab.state();
  }
}

test('the scene of this moment, as TOML, goes on in the native program as it does here', async () => {
  await lab.fresh(2);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.step(100));
  await lab.tab('share');
  await lab.press('copy-toml');
  await lab.page.waitForSelector('[data-notice=info] >> text=Copied');
  const toml = await clipboard();
  await lab.page.evaluate(() => globalThis.catenaLab.lab.step(60));
  const out = execFileSync(catena, ['run', '-', '-o', '-', '--times', '0.5', '-q'], { input: toml, encoding: 'utf8' });
  const [header, row] = out.split('\n').filter((line) => line && !line.startsWith('#'));
  const native = (name: string) => Number(row!.split(',')[header!.split(',').indexOf(name)]);
  // Half a second of a motion in which roundoff grows a hundredfold.
  for (const name of ['x_2', 'z_2', 'vx_2']) expect(await lab.value(name)).toBeCloseTo(native(name), 10);
  await lab.press('copy-command');
  await expect.poll(clipboard).toMatch(/^catena run - -o chain\.h5 <<'SCENE'\n\[simulation\]/);
});

test('a mechanism is copied as it starts, and that is said', async () => {
  await lab.preset('four-bar');
  await lab.page.evaluate(() => globalThis.catenaLab.lab.step(20));
  await lab.tab('share');
  await lab.press('copy-toml');
  await lab.page.waitForSelector('[data-notice=info] >> text=as it starts');
  await expect.poll(clipboard).toContain('[[joints]]');
  const out = execFileSync(catena, ['check', '-'], { input: await clipboard(), encoding: 'utf8' });
  expect(out).not.toBe('');
});

test('a link holds forces, a moving pivot and a formula', async () => {
  await lab.fresh(2);
  await force('drag', { linear: '0.3' });
  await force('formula', { force: '[0, 0, 0.5*sin(3*t)]' }, 1);
  await lab.page.fill('[data-field="chain.pivot"]', '["0.1*sin(3*t)", 0, 0]');
  await lab.page.press('[data-field="chain.pivot"]', 'Enter');
  await lab.runFor(0.4);
  await lab.tab('share');
  await lab.press('share');
  const link = await lab.page.inputValue('[data-shows=link]');
  const state = await lab.state();
  const other = await LabPage.open(browser, link);
  const restored = await other.state();
  expect(restored.scene).toEqual(state.scene);
  expect(restored.scene.forces).toHaveLength(2);
  expect(restored.row).toEqual(state.row);
  for (const page of [lab, other]) await page.page.evaluate(() => globalThis.catenaLab.lab.step(60));
  expect((await other.state()).row).toEqual((await lab.state()).row);
  expect(other.problems).toEqual([]);
  await other.close();
});

test('a damaged link is told, and the page starts as ever', async () => {
  const page = await LabPage.open(browser, `${server.address}#s=nonsense`);
  await page.page.waitForSelector('[data-notice=mistake] >> text=damaged');
  expect((await page.state()).chains[0]!.length).toHaveLength(3);
  await page.close();
});

test('every law acts from the panel: magnets, charges, wind', async () => {
  await lab.fresh(2);
  const kinds = await lab.page.evaluate(() => [...document.querySelectorAll<HTMLOptionElement>('[data-control=force-kind] option')].map(({ value }) => value));
  await lab.tab('forces');
  const offered = kinds.length ? kinds : await lab.page.locator('[data-control=force-kind] option').evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  expect(offered.length).toBeGreaterThan(5);
  for (const kind of offered) {
    await lab.fresh(2);
    await lab.tab('forces');
    await lab.page.selectOption('[data-control=force-kind]', kind);
    await lab.press('add-force');
    expect((await lab.state()).scene.forces, kind).toMatchObject([{ kind }]);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.step(10));
    expect((await lab.state()).tick, kind).toBe(10);
  }
});

test('a scene is dropped on the page', async () => {
  await lab.page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.toml'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, shippedScene('tree'));
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'dropped');
  expect((await lab.state()).chains[0]!.length.length).toBeGreaterThan(2);
});

test('a film is a WebM with pictures in it', async () => {
  await lab.fresh(3);
  await lab.tab('share');
  const [download] = await Promise.all([
    lab.page.waitForEvent('download'),
    (async () => {
      await lab.press('film');
      await lab.runFor(3); // a second of pictures
      await lab.press('film');
    })(),
  ]);
  const film = readFileSync((await download.path())!);
  expect(film.subarray(0, 4)).toEqual(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
  expect(film.includes(Buffer.from('webm'))).toBe(true);
  // A cluster, and a simple block in it: one picture at least.
  const cluster = film.indexOf(Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
  expect(cluster).toBeGreaterThan(0);
  expect(film.indexOf(0xa3, cluster)).toBeGreaterThan(cluster);
  expect(film.length).toBeGreaterThan(2000);
});

test('reset clears trails and histories', async () => {
  await lab.fresh(2);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.step(200));
  expect(await lab.page.evaluate(() => globalThis.catenaLab.lab.rows.rows.length)).toBeGreaterThan(100);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.length)).toBeGreaterThan(50);
  await lab.press('reset');
  await lab.state();
  expect(await lab.page.evaluate(() => globalThis.catenaLab.lab.rows.rows.length)).toBe(1);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.length)).toBeLessThan(3);
});
