// <catena-lab> in a page of its own.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageFolder, root } from '../../paths.ts';
import { browser, lab, withLab } from './page';

withLab();

const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm' };
let site: Server;
let address = '';
let host = '';

beforeAll(async () => {
  site = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://site');
    if (pathname === '/') {
      response.setHeader('content-type', 'text/html');
      response.end(host);
      return;
    }
    try {
      const file = readFileSync(path.join(pageFolder, 'page', path.basename(pathname)));
      response.setHeader('content-type', types[pathname.split('.').pop()!] ?? 'text/plain');
      response.setHeader('access-control-allow-origin', '*'); // as hosts of static pages do: scripts of other sites may be modules
      response.end(file);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterAll(() => site.close());

// A page with these elements, and the documents of the labs in it.
async function open(...elements: string[]): Promise<{ page: Page; frames: Frame[] }> {
  return visit(`<!doctype html><html lang="en"><title>host</title><style>catena-lab { width: 700px; height: 460px; aspect-ratio: auto }</style><script src="/lab/catena-lab.js"></script><h1>Host</h1>${elements.join('')}`);
}

async function visit(markup: string, where = address): Promise<{ page: Page; frames: Frame[] }> {
  host = markup;
  const context = await browser.newContext({ viewport: { width: 1000, height: 1500 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(250_000);
  const page = await context.newPage();
  await page.goto(where);
  const frames: Frame[] = [];
  for (const element of await page.locator('catena-lab iframe').all()) frames.push((await (await element.elementHandle())!.contentFrame())!);
  for (const frame of frames) await frame.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  return { page, frames };
}

const nameIn = (frame: Frame) => frame.evaluate(() => globalThis.catenaLab.store.presetName.value);

// Pixels of the picture in which something is drawn.
function inked(frame: Frame): Promise<number> {
  return frame.evaluate(() => {
    const { canvas } = globalThis.catenaLab.view;
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext('2d')!;
    pen.drawImage(canvas, 0, 0);
    return pen.getImageData(0, 0, copy.width, copy.height).data.filter((value, i) => i % 4 === 3 && value > 40).length;
  });
}

test('a scene by name, by text in an attribute, and by text between the tags', async () => {
  const own = '[simulation]\nduration = 5\n[[chain.links]]\nlength = 0.75\nmass = 1\ntheta = 1\nrepeat = 4';
  const { page, frames } = await open('<catena-lab scene="governor"></catena-lab>', `<catena-lab scene='${own}' panels="none"></catena-lab>`, `<catena-lab><script type="text/plain">${own.replace('repeat = 4', 'repeat = 2')}</script></catena-lab>`);
  expect(frames).toHaveLength(3);
  expect(await nameIn(frames[0]!)).toBe('governor');
  const links = (frame: Frame) => frame.evaluate(() => globalThis.catenaLab.store.description.value!.chains[0]!.length);
  expect(await links(frames[1]!)).toEqual([0.75, 0.75, 0.75, 0.75]);
  expect(await links(frames[2]!)).toHaveLength(2);
  // With its panels, or the stage alone.
  expect(await frames[0]!.isVisible('.side')).toBe(true);
  for (const part of ['.side', 'header', '.plots']) expect(await frames[1]!.isVisible(part), part).toBe(false);
  expect(await frames[1]!.isVisible('[data-action=run]')).toBe(true);
  // It is drawn, and it moves when it is told to.
  await frames[1]!.click('[data-action=run]');
  await expect.poll(() => frames[1]!.evaluate(() => globalThis.catenaLab.store.standing.value.tick)).toBeGreaterThan(3);
  expect(await inked(frames[1]!)).toBeGreaterThan(300);
  await page.context().close();
});

test('the example of the documentation', async () => {
  const text = readFileSync(path.join(root, 'docs/lab.md'), 'utf8');
  const example = /^    <!doctype html>[^]*?<\/html>$/m.exec(text)![0].replace(/^    /gm, '');
  const { page, frames } = await visit(example);
  expect(frames).toHaveLength(2);
  expect(await nameIn(frames[0]!)).toBe('double-pendulum');
  expect(await frames[0]!.isVisible('.side')).toBe(false);
  expect(await frames[1]!.evaluate(() => globalThis.catenaLab.store.description.value!.chains[0]!.length)).toEqual([0.5, 0.5, 0.5, 0.5]);
  expect(await frames[1]!.isVisible('.side')).toBe(true);
  expect(await frames[1]!.getAttribute('html', 'data-theme')).toBe('light');
  expect(await page.textContent('h1')).toContain('one of my own');
  await page.context().close();
});

test('on another site: script and lab come from elsewhere, under a path of their own', async () => {
  // This page is of another origin than the lab, which its host serves to everybody.
  const page = (script: string, src = '', kind = '') => `<!doctype html><html lang="en"><title>Another site</title><script${kind} src="${script}"></script><h1>Elsewhere</h1><catena-lab scene="double-pendulum"${src}></catena-lab>`;
  const elsewhere = address.replace('127.0.0.1', 'localhost');
  const origin = new URL(elsewhere).origin;
  for (const markup of [page(`${elsewhere}deep/path/lab/catena-lab.js`), page(`${elsewhere}deep/path/lab/catena-lab.js`, '', ' type="module"'), page('/lab/catena-lab.js', ` src="${elsewhere}deep/path/lab/index.html"`)]) {
    const { page: site, frames } = await visit(markup);
    const problems: string[] = [];
    site.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    expect(new URL(frames[0]!.url()).origin).toBe(origin);
    expect(new URL(frames[0]!.url()).pathname).toBe('/deep/path/lab/index.html');
    expect(await nameIn(frames[0]!)).toBe('double-pendulum');
    // The page cannot look into it, nor it into the page; it is drawn, runs and is worked.
    expect(await site.evaluate(() => document.querySelector('catena-lab')!.shadowRoot!.querySelector('iframe')!.contentDocument)).toBe(null);
    await frames[0]!.click('[data-action=run]');
    await expect.poll(() => frames[0]!.evaluate(() => globalThis.catenaLab.store.standing.value.tick)).toBeGreaterThan(3);
    expect(await inked(frames[0]!)).toBeGreaterThan(300);
    const shot = await site.locator('catena-lab').screenshot();
    expect(shot.length).toBeGreaterThan(5000);
    expect(problems).toEqual([]);
    await site.context().close();
  }
});

test('from a disk, as the page of the demo has it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'catena-embed-'));
  writeFileSync(path.join(folder, 'index.html'), '<!DOCTYPE html>\n<html lang="en"><title>The demo</title><body><h1>The demo</h1><div class="grid"></div></body></html>');
  for (const file of ['lab.html', 'page/catena-lab.js']) copyFileSync(path.join(pageFolder, file), path.join(folder, path.basename(file)));
  for (let i = 0; i < 2; i++) execFileSync('python3', [path.join(root, 'tools/show.py'), 'lab', '--out', folder]); // once is enough
  const { page, frames } = await visit('', `file://${folder}/index.html`);
  expect(frames).toHaveLength(1);
  expect(await nameIn(frames[0]!)).toBe('demo');
  expect(await inked(frames[0]!)).toBeGreaterThan(300);
  await page.context().close();
  rmSync(folder, { recursive: true });
});

test('two labs on one page do not disturb each other, nor the page around them', async () => {
  const { page, frames } = await open('<catena-lab scene="pendulum" panels="none" theme="dark"></catena-lab>', '<catena-lab scene="double-pendulum" theme="light"></catena-lab>', '<input id="own">');
  const [one, other] = [frames[0]!, frames[1]!];
  const row = (frame: Frame) => frame.evaluate(() => [...globalThis.catenaLab.lab.row]);
  const before = await row(other);
  await one.evaluate(() => globalThis.catenaLab.lab.step(120));
  expect(await row(other)).toEqual(before);
  // Keys go to the lab that has the focus, and to nobody else.
  await one.focus('.picture');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => one.evaluate(() => globalThis.catenaLab.store.standing.value.tick)).toBe(121);
  await page.focus('#own');
  await page.keyboard.type('r ');
  expect(await page.inputValue('#own')).toBe('r ');
  for (const frame of frames) expect(await frame.evaluate(() => globalThis.catenaLab.store.running.value)).toBe(false);
  expect(await row(other)).toEqual(before);
  // Another gravity, theme and language in one of them.
  await other.locator('[data-control=gravity]').fill('3');
  await expect.poll(() => other.evaluate(() => globalThis.catenaLab.store.scene.value.simulation!)).toMatchObject({ gravity: 3 });
  await other.selectOption('[data-control=language]', 'ja');
  expect(await one.evaluate(() => globalThis.catenaLab.store.scene.value.simulation!)).not.toMatchObject({ gravity: 3 });
  expect(await one.getAttribute('html', 'lang')).not.toBe('ja');
  expect(await one.getAttribute('html', 'data-theme')).not.toBe(await other.getAttribute('html', 'data-theme'));
  expect(await page.evaluate(() => [document.documentElement.lang, Object.keys(localStorage).length, location.hash])).toEqual(['en', 0, '']);
  await page.context().close();
});

test('a share link, to the same bits; another scene when the attribute changes', async () => {
  await lab.preset('double-pendulum');
  await lab.runFor(0.4);
  const link = await lab.link();
  const { page, frames } = await open(`<catena-lab scene="${link}" theme="light" language="ja"></catena-lab>`);
  expect(await frames[0]!.evaluate(() => [...globalThis.catenaLab.lab.row])).toEqual((await lab.state()).row);
  expect(await frames[0]!.getAttribute('html', 'data-theme')).toBe('light');
  expect(await frames[0]!.textContent('[data-tab=chain]')).toBe('鎖');
  const bare = await open(`<catena-lab scene="${link}" panels="none"></catena-lab>`);
  expect(await bare.frames[0]!.evaluate(() => [...globalThis.catenaLab.lab.row])).toEqual((await lab.state()).row);
  expect(await bare.frames[0]!.isVisible('.side')).toBe(false);
  await bare.page.context().close();
  await page.evaluate(() => document.querySelector('catena-lab')!.setAttribute('scene', 'conical'));
  await expect.poll(async () => {
    const frame = await (await page.locator('catena-lab iframe').elementHandle())!.contentFrame();
    return frame?.evaluate(() => globalThis.catenaLab?.store.presetName.value ?? '').catch(() => '');
  }).toBe('conical');
  await page.context().close();
  await lab.tab('chain');
});

test('a scene that is not there says so inside its frame, and the rest of the page goes on', async () => {
  const { page, frames } = await open('<catena-lab scene="no-such-scene"></catena-lab>', '<catena-lab scene="pendulum"></catena-lab>');
  expect(await frames[0]!.textContent('[data-notice=mistake]')).toContain('no-such-scene');
  expect(await nameIn(frames[1]!)).toBe('pendulum');
  expect(await page.textContent('h1')).toBe('Host');
  await page.context().close();
});

test("a lab inside another page keeps nothing in the browser, and shows none of the reader's own work", async () => {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(250_000);
  const own = await context.newPage();
  await own.goto(`${address}lab/index.html#scene=governor`);
  const kept = () => own.evaluate(() => localStorage.getItem('catena-last'));
  await expect.poll(kept).not.toBe(null);
  const before = await kept();
  await own.goto(`${address}lab/index.html#embedded=yes`);
  await own.reload();
  await own.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  expect(await own.evaluate(() => globalThis.catenaLab.store.presetName.value)).toBe('chain');
  await own.evaluate(() => globalThis.catenaLab.lab.step(10));
  await own.waitForTimeout(1500);
  expect(await kept()).toBe(before);
  await context.close();
});
