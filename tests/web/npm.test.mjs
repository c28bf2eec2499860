// The npm package as others get it: packed, installed into an empty folder, and used in Node, by TypeScript and on a page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const web = path.join(root, 'apps/web');
const run = (command, words, cwd) => execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
let folder, installed, size;

before(() => {
  run(process.execPath, [path.join(root, 'apps/npm/build.mjs')], root);
  folder = mkdtempSync(path.join(os.tmpdir(), 'catena-npm-'));
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], path.join(root, 'build/npm')));
  size = packed.size;
  installed = path.join(folder, 'node_modules/@catena/lab');
  mkdirSync(installed, { recursive: true });
  run('tar', ['xzf', path.join(folder, packed.filename), '--strip-components=1', '-C', installed]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('it is small, and has what it says', () => {
  console.log(`web: npm package ${(size / 1e6).toFixed(2)} MB packed, catena.wasm ${(statSync(path.join(installed, 'dist/catena.wasm')).size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 2.5e6, `${size} bytes`);
  for (const { types: declared, default: script } of Object.values(JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')).exports).filter((one) => one.types)) {
    for (const file of [declared, script]) assert.ok(statSync(path.join(installed, file)).size > 100, file);
  }
});

test('the example for Node goes on with the same bits from a checkpoint', () => {
  writeFileSync(path.join(folder, 'example.mjs'), readFileSync(path.join(installed, 'examples/node.mjs')));
  const said = run(process.execPath, ['example.mjs'], folder);
  assert.match(said, /^t = 10 s, x_2 = /);
  assert.match(said, /the same bits/);
  const error = Number(/energy error (\S+) J/.exec(said)[1]);
  assert.ok(Math.abs(error) < 1e-12, said);
});

test('mistakes in a scene are named, and so are columns that are not there', () => {
  const code = `import { load, Mistakes } from '@catena/lab';
    try { await load('[simulation]\\nduration = -1'); } catch (error) { console.log(error instanceof Mistakes, error.mistakes.length > 0); }
    const lab = await load({ simulation: { duration: 1 }, chain: { links: [{ length: 1, mass: 1, theta: 1 }] } });
    try { lab.value('x_9'); } catch (error) { console.log(error.message.slice(0, 25)); }
    console.log(lab.advance(7), lab.rows().length === 7 * lab.columns.length, lab.record(['theta']).includes('theta_1'), lab.info().version);`;
  writeFileSync(path.join(folder, 'mistakes.mjs'), code);
  const version = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')).version;
  assert.equal(run(process.execPath, ['mistakes.mjs'], folder), `true true\nthere is no column 'x_9';\n7 true true ${version}\n`);
});

test('its types are right for TypeScript', () => {
  const good = `import { load } from '@catena/lab';\nimport { load as start } from '@catena/lab/client';
    export async function f() { const lab = await load('x'); const n: number = lab.advance(3) + lab.value('t'); const r: Float64Array = lab.rows();
      const far = await start({}); const m: number = await far.advance(2); return [n, r, m]; }`;
  const check = (text) => {
    writeFileSync(path.join(folder, 'use.ts'), text);
    return run(process.execPath, [path.join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext',
      '--moduleResolution', 'bundler', '--lib', 'es2023,dom', '--types', '', '--skipLibCheck', 'false', 'use.ts'], folder);
  };
  check(good);
  assert.throws(() => check(good.replace("lab.value('t')", 'lab.valu(1)')), (error) => /valu/.test(error.stdout));
});

test('the page of thirty lines moves', async () => {
  const server = createServer((request, response) => {
    const file = path.join(installed, new URL(request.url, 'http://x').pathname);
    try {
      const content = readFileSync(file);
      response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'text/plain' }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { chromium } = createRequire(path.join(web, 'package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const troubles = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/examples/page.html`);
    await page.waitForFunction(() => parseFloat(document.title) > 0.3, undefined, { timeout: 240_000 });
    const inked = await page.evaluate(() => document.getElementById('picture').getContext('2d').getImageData(0, 0, 400, 400).data.some((value) => value > 0));
    assert.deepEqual(troubles, []);
    assert.ok(inked);
    assert.ok(readFileSync(path.join(installed, 'examples/page.html'), 'utf8').split('\n').length <= 31);
  } finally {
    await browser.close();
    server.close();
  }
});
