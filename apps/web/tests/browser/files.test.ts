// What goes in and out: the clipboard, dropped files, links with forces, films.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { catena, shippedScene } from '../support';
import { browser, isFilm, lab, LabPage, server, withLab } from './page';

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
  await lab.step(100);
  await lab.tab('share');
  await lab.press('copy-toml');
  await lab.page.waitForSelector('[data-notice=info] >> text=Copied');
  const toml = await clipboard();
  await lab.step(60);
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
  await lab.step(20);
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
  const { other, state, restored } = await lab.openedElsewhere(browser);
  expect(restored.scene).toEqual(state.scene);
  expect(restored.scene.forces).toHaveLength(2);
  for (const page of [lab, other]) await page.step(60);
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
    await lab.step(10);
    expect((await lab.state()).tick, kind).toBe(10);
  }
});

test('a scene is dropped on the page', async () => {
  await lab.drop('dropped.toml', shippedScene('tree'));
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'dropped');
  expect((await lab.state()).chains[0]!.length.length).toBeGreaterThan(2);
});

test('a film has pictures in it, on the page\'s own background', async () => {
  await lab.fresh(3);
  const { bytes: film } = await lab.filmed(() => lab.runFor(1)); // a second of pictures, stopped on the picture itself
  expect(isFilm(film)).toBe(true);
  expect(film.length).toBeGreaterThan(2000);
  // Played back: of even size, and its corner is not black but as the page's stage.
  const seen = await lab.page.evaluate(async (base64) => {
    const video = document.createElement('video');
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]));
    const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    document.body.append(video);
    await video.play();
    await shown;
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [video.videoWidth, video.videoHeight];
    const pen = copy.getContext('2d')!;
    pen.drawImage(video, 0, 0);
    video.remove();
    const corner = [...pen.getImageData(4, 4, 1, 1).data.slice(0, 3)];
    const stage = getComputedStyle(document.querySelector('.stage')!).getPropertyValue('--stage').trim();
    return { width: copy.width, height: copy.height, corner, stage };
  }, film.toString('base64'));
  expect([seen.width % 2, seen.height % 2]).toEqual([0, 0]);
  const wanted = [1, 3, 5].map((at) => parseInt(seen.stage.slice(at, at + 2), 16));
  seen.corner.forEach((value, i) => expect(Math.abs(value - wanted[i]!), `${seen.corner} for ${seen.stage}`).toBeLessThan(12));
});

test('a film is MP4 where the browser can, and WebM elsewhere', async () => {
  await lab.fresh(2);
  const filmed = async () => {
    const { name, bytes } = await lab.filmed(() => lab.runFor(0.7), 'film');
    return { name, mark: bytes.subarray(0, 12).toString('latin1') };
  };
  // What this browser can, and how it would be with others.
  const can = await lab.page.evaluate(() => MediaRecorder.isTypeSupported('video/mp4'));
  const own = await filmed();
  expect(own.name).toBe(can ? 'chain.mp4' : 'chain.webm');
  expect(own.mark.includes('ftyp')).toBe(can);
  await lab.page.evaluate(() => {
    const all = MediaRecorder.isTypeSupported.bind(MediaRecorder);
    Object.assign(window, { all });
    MediaRecorder.isTypeSupported = (type) => !type.startsWith('video/mp4') && all(type);
  });
  const other = await filmed();
  expect(other.name).toBe('chain.webm');
  expect(other.mark.startsWith('\u001aE\u00df\u00a3')).toBe(true);
  await lab.page.evaluate(() => (MediaRecorder.isTypeSupported = () => false));
  await lab.press('film');
  await lab.page.waitForSelector('[data-notice=warning] >> text=no films');
  await lab.page.evaluate(() => (MediaRecorder.isTypeSupported = (globalThis as unknown as { all: typeof MediaRecorder.isTypeSupported }).all));
});

test('reset clears trails and begins plots afresh', async () => {
  await lab.fresh(2);
  await lab.step(200);
  expect((await lab.plotted('angles'))[0]!.x.length).toBeGreaterThan(100);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.length)).toBeGreaterThan(50);
  await lab.press('reset');
  await lab.state();
  expect((await lab.plotted('angles'))[0]!.x.length).toBe(1);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.length)).toBeLessThan(3);
});

// ---- links ------------------------------------------------------------------------------------------------------

const packed = (text: string | Buffer) => deflateRawSync(text).toString('base64url');

test('a link that unpacks to hundreds of megabytes is refused before it does', async () => {
  const code = packed(Buffer.alloc(300e6, 0x20));
  expect(code.length).toBeLessThan(1e6);
  const page = await LabPage.open(browser, `${server.address}#s=${code}`);
  await page.page.waitForSelector('[data-notice=mistake] >> text=more than 24 MB');
  const heap = await page.page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize);
  expect(heap).toBeLessThan(120e6);
  expect((await page.state()).chains[0]!.length).toHaveLength(3);
  await page.close();
});

test('a link of a newer version is called so', async () => {
  const page = await LabPage.open(browser, `${server.address}#s=${packed('{"v": 7}')}`);
  await page.page.waitForSelector('[data-notice=mistake] >> text=newer version');
  await page.close();
});

test('a link says that it is local, and a long one that it is long', async () => {
  await lab.fresh(2);
  await lab.tab('share');
  await lab.press('share');
  await expect.poll(() => lab.page.locator('[data-shows=link-remark]').allTextContents()).toEqual([expect.stringContaining('on this machine')]);
  await lab.fresh(200);
  await lab.step(30);
  await lab.tab('share');
  await lab.press('share');
  await expect.poll(() => lab.page.locator('[data-shows=link-remark]').allTextContents()).toEqual([expect.stringContaining('thousand characters'), expect.stringContaining('on this machine')]);
  await lab.fresh(2);
});

// ---- fields -----------------------------------------------------------------------------------------------------

test('a mistake stands beside its field, and the text stays', async () => {
  await lab.fresh(2);
  const gravity = lab.page.locator('[data-typed=gravity]');
  const beside = () => lab.page.locator('.control:has([data-typed=gravity]) [data-shows=field-mistake]');
  for (const [text, said] of [['nine', 'not a number'], ['1e9', 'From -1000 to 1000']] as const) {
    await gravity.fill(text);
    await gravity.press('Enter');
    await expect.poll(() => beside().textContent()).toContain(said);
    expect(await gravity.inputValue()).toBe(text);
    expect(await gravity.getAttribute('aria-invalid')).toBe('true');
    expect((await lab.state()).scene.simulation.gravity).toBe(9.81);
  }
  await gravity.fill('3');
  await gravity.press('Enter');
  await expect.poll(() => beside().count()).toBe(0);
  expect((await lab.state()).scene.simulation.gravity).toBe(3);
  // What only the engine can refuse.
  await lab.tab('links');
  const mass = lab.page.locator('[data-typed=mass-1]');
  await mass.fill('-2');
  await mass.press('Enter');
  await expect.poll(() => lab.page.locator('td:has([data-typed=mass-1]) [data-shows=field-mistake]').textContent()).toMatch(/mass/);
  expect(await mass.inputValue()).toBe('-2');
  await mass.press('Escape');
  await lab.tab('chain');
});

test('an offset of 0 is 0', async () => {
  await lab.fresh(2);
  await lab.tab('ghosts');
  await lab.press('add-method-ghost');
  await lab.state();
  expect(await lab.page.inputValue('[data-typed=offset-0]')).toBe('0');
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([]));
  await lab.tab('chain');
});

test('a divergence is never more than all', async () => {
  await lab.fresh(2);
  await lab.page.evaluate(async () => {
    await globalThis.catenaLab.lab.setGhosts([{ offset: 0, method: 'euler', step: 0.5 }]);
    await globalThis.catenaLab.lab.step(240);
  });
  await expect.poll(async () => Number.parseFloat((await lab.page.textContent('[data-shows=divergence-badge]').catch(() => '0'))!.replace(/[^\d.]/g, ''))).toBeLessThanOrEqual(100);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([]));
});

// ---- files ------------------------------------------------------------------------------------------------------

test('a mechanism is saved as it is seen, and opens so', async () => {
  await lab.preset('four-bar');
  await lab.step(77);
  const before = await lab.state();
  await lab.tab('share');
  const [download] = await Promise.all([lab.page.waitForEvent('download'), lab.press('save-here')]);
  expect(download.suggestedFilename()).toBe('four-bar.moment.json');
  const buffer = readFileSync((await download.path())!);
  await lab.fresh(1);
  await lab.tab('share');
  await lab.page.setInputFiles('[data-control=file]', { name: 'four-bar.moment.json', mimeType: 'application/json', buffer });
  await lab.page.waitForFunction(() => globalThis.catenaLab.store.presetName.value === 'four-bar');
  expect((await lab.state()).row).toEqual(before.row);
  expect((await lab.state()).tick).toBe(77);
});

test('a chain is saved as it is seen: a scene that starts there', async () => {
  await lab.fresh(2);
  await lab.step(50);
  await lab.tab('share');
  const [download] = await Promise.all([lab.page.waitForEvent('download'), lab.press('save-here')]);
  const toml = readFileSync((await download.path())!, 'utf8');
  const out = execFileSync(catena, ['run', '-', '-o', '-', '--times', '0', '-q'], { input: toml, encoding: 'utf8' });
  const [header, row] = out.split('\n').filter((line) => line && !line.startsWith('#'));
  expect(Number(row!.split(',')[header!.split(',').indexOf('x_2')])).toBeCloseTo(await lab.value('x_2'), 12);
});

test('a recorded run of a Lagrangian has its own controls and axes that fit', async () => {
  const csv = execFileSync(catena, ['run', '-', '-o', '-', '-q', '--set', 'simulation.duration=3'], { input: shippedScene('kepler'), encoding: 'utf8' });
  await lab.tab('share');
  await lab.page.setInputFiles('[data-control=file]', { name: 'run.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await lab.page.waitForSelector('[data-shows=run-panel]');
  expect(await lab.page.locator('[data-control=gravity], [data-control=links], [data-control=ghost]').count()).toBe(0);
  const [curve] = await lab.plotted('angles');
  expect(curve!.x[0]).toBe(0);
  expect(curve!.x.at(-1)).toBeCloseTo(3, 9);
  const range = await lab.page.evaluate(() => globalThis.catenaLab.charts.get(globalThis.catenaLab.plots.panels.value[0]!.id)!.x.range);
  expect(range[1]).toBeCloseTo(3, 9);
  await lab.press('leave-run');
  await lab.page.waitForSelector('[data-control=gravity], [data-tab=chain]');
});

test('a run of a later version is called so, and the work stays', async () => {
  const before = await lab.state();
  await lab.drop('later.csv', '# catena 99.1.0\nt,x_1,y_1,z_1\n0,1,0,0\n');
  await expect.poll(() => lab.page.locator('[data-notice=mistake]').allTextContents()).toContainEqual(expect.stringMatching(/later version.*99\.1\.0/));
  expect((await lab.state()).scene).toEqual(before.scene);
  expect(await lab.page.locator('[data-action=close-trajectory]').count()).toBe(0);
});

test('a large file says how far it has got', async () => {
  const row = `${'0.123456789,'.repeat(8)}0\n`;
  const text = `t,x_1,y_1,z_1,a,b,c,d,e\n${Array.from({ length: 90000 }, (_, i) => `${i / 100},${row.slice(12)}`).join('')}`;
  await lab.tab('chain');
  const shown = lab.page.evaluate(() => new Promise<string>((resolve) => {
    const observer = new MutationObserver(() => {
      const badge = document.querySelector('[data-shows=reading]');
      if (badge) (observer.disconnect(), resolve(badge.textContent!));
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }));
  await lab.tab('share');
  await lab.page.setInputFiles('[data-control=file]', { name: 'large.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  expect(await shown).toContain('large.csv');
  await lab.page.waitForSelector('[data-shows=run-panel]');
  await lab.press('leave-run');
});
