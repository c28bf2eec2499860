// Takes the lab's pictures in docs/pictures anew: node apps/web/tools/pictures.mjs build/release/catena
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { chromium } from 'playwright-core';

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../docs/pictures');
const server = spawn(process.argv[2] ?? 'build/release/catena', ['lab', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const address = await new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data).trim())));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });

// A picture of the page as `prepare` leaves it, at rest.
async function take(name, options, prepare) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(250_000);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  await page.evaluate(prepare);
  await page.waitForTimeout(3000);
  await page.screenshot({ path: path.join(folder, name), timeout: 250_000 });
  await context.close();
}

await take('lab-ghost.png', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }, async () => {
  const { lab, store, actions, plots } = globalThis.catenaLab;
  await lab.stop();
  actions.setTheme('dark');
  await lab.setGhosts([{ offset: 1e-3, method: '' }]);
  store.openPanel.value = 'ghosts';
  plots.change(plots.panels.value[0].id, { what: 'divergence', log: true });
  for (let i = 0; i < 10; i++) await lab.step(60);
});
await take('lab-phone.png', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5, colorScheme: 'light' }, async () => {
  const { lab, actions } = globalThis.catenaLab;
  await lab.stop();
  actions.setTheme('light');
  await lab.newChain({ links: 5, elastic: true, stiffness: 200, gravity: 9.81, damping: 0 });
  for (let i = 0; i < 11; i++) await lab.step(30);
});
await browser.close();
server.kill('SIGINT');
