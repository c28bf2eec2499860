// Contact sheets of all shipped scenes as the page shows them, one per size of screen, to look at:
// node apps/web/tools/sheets.mjs FOLDER [WIDTHxHEIGHT[:light] ..] (the program is build/release/catena, or CATENA_BINARY). With
// CATENA_SCENES="four-bar governor" it is of these alone, with CATENA_SHEET_PIXELS=900 they are that large.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';

const [folder = 'out/sheets', ...asked] = process.argv.slice(2);
const sizes = asked.length ? asked : ['1280x800', '1920x1080', '2560x1440', '390x844', '844x390'];
const wanted = Number(process.env.CATENA_SHEET_PIXELS ?? 320); // pixels of a picture's longer side
const only = process.env.CATENA_SCENES?.split(/\s+/);

mkdirSync(folder, { recursive: true });
const server = spawn(process.env.CATENA_BINARY ?? 'build/release/catena', ['lab', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data).trim())));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });

for (const asked of sizes) {
  const [size, theme = 'dark'] = asked.split(':');
  const [width, height] = size.split('x').map(Number);
  const phone = Math.min(width, height) < 500;
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: wanted / Math.max(width, height), hasTouch: phone, isMobile: phone, reducedMotion: 'reduce', colorScheme: theme });
  context.setDefaultTimeout(250_000);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  const names = await page.$$eval('[data-control=preset] option', (options) => options.map(({ value }) => value).filter((value) => value && value !== 'drawing')).then((all) => all.filter((name) => !only || only.includes(name)));
  const pictures = [];
  for (const name of names) {
    await page.selectOption('[data-control=preset]', name);
    await page.waitForFunction((called) => globalThis.catenaLab.store.presetName.value === called, name);
    await page.evaluate(async () => {
      await globalThis.catenaLab.lab.step(30);
      await globalThis.catenaLab.lab.idle();
      for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    pictures.push({ name, data: (await page.screenshot()).toString('base64') });
  }
  const columns = Math.ceil(Math.sqrt((pictures.length * height) / width));
  const sheet = await browser.newPage({ viewport: { width: 200, height: 200 } });
  const bytes = await sheet.evaluate(async ([all, across]) => {
    const images = await Promise.all(all.map(async ({ data }) => createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())));
    const [w, h] = [images[0].width, images[0].height + 14];
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [across * w, Math.ceil(images.length / across) * h];
    const pen = canvas.getContext('2d');
    pen.fillStyle = 'white';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    images.forEach((image, i) => {
      const [x, y] = [(i % across) * w, Math.floor(i / across) * h];
      pen.drawImage(image, x, y + 14);
      pen.fillStyle = 'black';
      pen.font = '11px sans-serif';
      pen.fillText(all[i].name, x + 4, y + 11);
    });
    return canvas.toDataURL('image/png').split(',')[1];
  }, [pictures, columns]);
  writeFileSync(path.join(folder, `${size}-${theme}.png`), Buffer.from(bytes, 'base64'));
  console.log(`${folder}/${size}-${theme}.png: ${pictures.length} scenes`);
  await sheet.close();
  await context.close();
}
await browser.close();
server.kill('SIGINT');
