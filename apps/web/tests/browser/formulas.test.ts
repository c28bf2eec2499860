// Systems given by formulas, a Lagrangian or equations: columns, plots, the point in their space, numbers on sliders.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { catena } from '../support';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const lorenz = '[simulation]\nduration = 40\n[equations]\nstates = { x = 1, y = 1, z = 20 }\nparameters = { sigma = 10, rho = 28, beta = "8/3" }\ndot = { x = "sigma*(y - x)", y = "x*(rho - z) - y", z = "x*y - beta*z" }\n';
const circle = '[simulation]\nduration = 40\n[equations]\nstates = { q = 1, p = 0 }\nparameters = { w = 2 }\ndot = { q = "p", p = "-w^2*q" }\ninvariants = { H = "p^2/2 + w^2*q^2/2" }\n';

const texts = () => lab.page.evaluate(() => globalThis.catenaLab.view.labels.texts);
const controls = () => lab.page.evaluate(() => [...document.querySelectorAll<HTMLElement>('#panel [data-control]')].map((one) => one.dataset.control!));

test('equations have their states in plots and portraits, and nothing of a chain', async () => {
  await lab.load(circle);
  await lab.tab('chain');
  expect(await controls()).toEqual(['parameter-w', 'speed', 'trace', 'ghost']);
  expect(await lab.page.textContent('[data-shows=mechanism]')).toMatch(/equations of its rates/);
  await lab.step(360);
  const curves = await lab.plotted('angles');
  expect(curves.map(({ title }) => title)).toEqual(['q', 'p']);
  // The closed form, point by point.
  curves[0]!.x.forEach((t, i) => expect(curves[0]!.y[i]).toBeCloseTo(Math.cos(2 * t), 9));
  curves[1]!.x.forEach((t, i) => expect(curves[1]!.y[i]).toBeCloseTo(-2 * Math.sin(2 * t), 9));
  const [portrait] = await lab.plotted('phase');
  portrait!.x.forEach((q, i) => expect(4 * q * q + portrait!.y[i]! ** 2).toBeCloseTo(4, 8));
  // Units are the author's: no axis has metres or radians, neither plots nor the picture.
  const titles = await lab.page.evaluate(() => [...globalThis.catenaLab.charts.values()].flatMap(({ x, y }) => [x.title, y.title]));
  expect(titles.filter((title) => /\[(m|rad|J)/.test(title))).toEqual([]);
  const seen = await texts();
  expect(seen).toEqual(expect.arrayContaining(['q', 'p']));
  expect(seen.filter((text) => /^[≈ ]*[\d.]+ ?[cmk]?m$/.test(text))).toEqual([]);
  expect(seen.some((text) => /^[\d.]+$/.test(text))).toBe(true);
  for (const tab of ['links', 'forces', 'engine', 'ghosts', 'share', 'learn', 'show']) {
    await lab.tab(tab);
    expect(await lab.page.textContent('#panel'), tab).not.toMatch(/NaN|undefined|Infinity/);
  }
});

test('the point is drawn where its states say, with all of its way in sight', async () => {
  await lab.load(lorenz);
  expect(await lab.page.evaluate(() => globalThis.catenaLab.store.mode.value)).toBe('3d');
  for (let i = 0; i < 12; i++) {
    await lab.step(60);
    await lab.drawn();
  }
  await lab.page.waitForTimeout(1500); // the camera has come after it
  const place = await lab.page.evaluate(() => globalThis.catenaLab.view.placeOf(0));
  for (const [i, name] of ['x', 'y', 'z'].entries()) expect(place[i]).toBeCloseTo(await lab.value(name), 4);
  expect(await lab.isDrawnAt(await lab.seen(place), 3)).toBe(true);
  // Corners of the attractor: both wings are on the picture, clear of the transport.
  const box = (await lab.page.locator('.picture').boundingBox())!;
  const visited = await lab.page.evaluate(() => {
    const { min, max } = globalThis.catenaLab.view['visited'];
    return [min.toArray(), max.toArray()];
  });
  expect(visited[1]![2]! - visited[0]![2]!).toBeGreaterThan(25);
  const [low, high] = [visited[0]!, visited[1]!];
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => (k & (1 << i) ? high : low)[i]!));
  for (const corner of corners) {
    const { x, y } = await lab.seen(corner as [number, number, number]);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(box.width);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(box.height - 60);
  }
});

test('a number in the formulas is a slider: the motion goes on from where it is, and undo takes it back', async () => {
  await lab.load(lorenz);
  await lab.tab('chain');
  await lab.step(120);
  const before = await lab.state();
  expect(await lab.page.inputValue('[data-typed="parameter-beta"]')).toMatch(/^2\.66/); // as it was written: 8/3
  await lab.type('parameter-rho', 13.5);
  const after = await lab.state();
  expect((after.scene as unknown as { equations: { parameters: Record<string, unknown> } }).equations.parameters).toEqual({ sigma: 10, rho: 13.5, beta: '8/3' });
  expect(after.tick).toBe(before.tick);
  for (const name of ['x', 'y', 'z']) expect(after.row[after.names.indexOf(name)]).toBe(before.row[before.names.indexOf(name)]);
  // Below rho = 13.926 it comes to rest at sqrt(beta (rho - 1)).
  await lab.step(120 * 30);
  const rest = Math.sqrt((8 / 3) * 12.5);
  expect(Math.abs(await lab.value('x'))).toBeCloseTo(rest, 3);
  expect(await lab.value('z')).toBeCloseTo(12.5, 3);
  await lab.page.evaluate(() => globalThis.catenaLab.actions.undo());
  expect((await lab.state()).row).toEqual(before.row);
});

test('invariants are plotted and told of; energies that are not there are not', async () => {
  await lab.load(circle);
  await lab.step(240);
  await lab.tab('engine');
  expect(await lab.page.locator('[data-shows=energy-error], .bars').count()).toBe(0);
  expect(Math.abs(Number(await lab.page.textContent('[data-shows=invariant-H]')))).toBeLessThan(1e-10);
  await lab.press('plot-error');
  const curves = await lab.plotted('error');
  expect(curves.map(({ title }) => title)).toEqual(['H_error']);
  expect(Math.max(...curves[0]!.y.map(Math.abs))).toBeLessThan(1e-10);
  await lab.press('plot-angles');
  await lab.load(lorenz);
  expect(await lab.page.locator('[data-action=plot-error]').count()).toBe(0);
});

test('a ghost starts beside it and parts from it, exponentially', async () => {
  await lab.load(lorenz);
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([{ offset: 1e-8, method: '' }]));
  await lab.step(120 * 15);
  const { distance, growth } = await lab.page.evaluate(() => globalThis.catenaLab.lab.divergence.of(0));
  // The largest Lyapunov exponent of this system is 0.906.
  expect(growth).toBeGreaterThan(0.5);
  expect(growth).toBeLessThan(1.5);
  expect(distance).toBeGreaterThan(1e-5);
  await lab.tab('ghosts');
  expect(await lab.page.textContent('fieldset.ghost')).not.toMatch(/blown up|NaN|first link/);
  expect(await lab.page.textContent('fieldset.ghost .control')).not.toContain('rad');
  await lab.page.evaluate(() => globalThis.catenaLab.lab.setGhosts([]));
});

test('equations with one state, and with many', async () => {
  await lab.load('[simulation]\nduration = 5\n[equations]\nstates = { n = 0.1 }\ndot = { n = "n*(1 - n)" }\n');
  await lab.step(120);
  const [curve] = await lab.plotted('angles');
  curve!.x.forEach((t, i) => expect(curve!.y[i]).toBeCloseTo(1 / (1 + 9 * Math.exp(-t)), 9));
  const names = Array.from({ length: 40 }, (_, i) => `s${i + 1}`);
  await lab.load(`[simulation]\nduration = 5\n[equations]\nstates = { ${names.map((name) => `${name} = 1`).join(', ')} }\ndot = { ${names.map((name, i) => `${name} = "-${i + 1}*${name}"`).join(', ')} }\n`);
  await lab.step(60);
  expect(await lab.plotted('angles')).toHaveLength(20);
  expect(await lab.value('s40')).toBeCloseTo(Math.exp(-20), 12);
});

test('a recorded run of equations has its columns and nothing of a chain', async () => {
  const csv = execFileSync(catena, ['run', '-', '-o', '-', '-q', '--set', 'simulation.duration=3'], { input: circle, encoding: 'utf8' });
  await lab.tab('share');
  await lab.page.setInputFiles('[data-control=file]', { name: 'run.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await lab.page.waitForSelector('[data-shows=run-panel]');
  expect(await lab.page.locator('[data-control=gravity], [data-control=links], [data-control=ghost]').count()).toBe(0);
  const curves = await lab.plotted('angles');
  expect(curves.map(({ title }) => title)).toEqual(['q', 'p']);
  curves[0]!.x.forEach((t, i) => expect(curves[0]!.y[i]).toBeCloseTo(Math.cos(2 * t), 9));
  await lab.press('leave-run');
});

test('mistakes in equations are told with their place', async () => {
  await lab.load(circle);
  const answer = await lab.page.evaluate(async () => {
    await globalThis.catenaLab.lab.load('[simulation]\nduration = 5\n[equations]\nstates = { x = 1 }\ndot = { x = "-k*x" }\n', 'wrong.toml').catch(() => null);
    return document.querySelector('[data-notice=mistake]')?.textContent ?? '';
  });
  const told = answer || (await lab.page.textContent('[data-notice=mistake]'))!;
  expect(told).toMatch(/5:/);
  expect(told).toContain('k');
  expect((await lab.state()).names).toContain('q'); // what was there before is there
  for (const button of await lab.page.locator('.notice button').all()) await button.click();
});

test('on a phone, too, and through a link to the same bits', async () => {
  await lab.load(lorenz);
  await lab.step(100);
  const link = await lab.link();
  const phone = await LabPage.open(browser, `${server.address}${link.slice(link.indexOf('#'))}`, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  expect((await phone.state()).row).toEqual((await lab.state()).row);
  expect(await phone.page.isVisible('[data-control="parameter-rho"]')).toBe(true);
  expect(phone.problems).toEqual([]);
  await phone.close();
  await lab.tab('chain');
});
