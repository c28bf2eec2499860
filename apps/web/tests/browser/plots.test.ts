// Plots show the engine's history, whatever was on the screen meanwhile. What is compared is what is drawn.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const go = (tick: number) => lab.page.evaluate((n) => globalThis.catenaLab.lab.go(n), tick);
const panel = (what: string) => lab.page.evaluate((wanted) => globalThis.catenaLab.plots.panels.value.find((one) => one.what === wanted)!.id, what);
const setPanel = (id: number, values: object) => lab.page.evaluate(([one, wanted]) => globalThis.catenaLab.plots.change(one as number, wanted as object), [id, values] as [number, object]);

// All points of a curve, by time to the tick.
const byTick = ({ x, y }: { x: number[]; y: number[] }) => new Map(x.map((time, i) => [Math.round(120 * time), y[i]!]));

// Where the first curve of a plot is seen on its canvas: for each column of pixels that has its colour, the mean of their rows.
function trace(what: string): Promise<[number, number][]> {
  return lab.page.evaluate((wanted) => {
    const { plots, charts } = globalThis.catenaLab;
    const { id } = plots.panels.value.find((one) => one.what === wanted)!;
    const canvas = document.querySelector<HTMLCanvasElement>(`[data-panel="${id}"] canvas`)!;
    const probe = document.createElement('canvas').getContext('2d')!;
    probe.fillStyle = charts.get(id)!.lines[0]!.color;
    probe.fillRect(0, 0, 1, 1);
    const color = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const out: [number, number][] = [];
    for (let x = 0; x < canvas.width; x++) {
      let [sum, count] = [0, 0];
      for (let y = 0; y < canvas.height; y++) {
        const at = 4 * (y * canvas.width + x);
        if (data[at + 3]! < 150 || [0, 1, 2].some((i) => Math.abs(data[at + i]! - color[i]!) > 25)) continue;
        sum += y;
        count++;
      }
      if (count) out.push([x, sum / count]);
    }
    return out;
  }, what);
}

describe('data are kept', () => {
  test('through scrubbing, toggles, ghosts, drags and edits: no gaps, no straight lines', async () => {
    await lab.fresh(2);
    await lab.step(300);
    const [before] = await lab.plotted('angles');
    expect(before!.x).toHaveLength(301);
    await lab.slide('timeline', 40);
    await lab.slide('timeline', 220);
    await lab.slide('timeline', 100);
    const [scrubbed] = await lab.plotted('angles');
    expect(scrubbed!.x).toEqual(before!.x);
    expect(scrubbed!.y).toEqual(before!.y);
    // Back to the end, and on with a ghost, springs, another gravity and a drag.
    await go(300);
    await lab.page.click('[data-control=ghost]');
    await lab.step(60);
    await lab.page.click('[data-control=elastic]');
    await lab.state();
    await lab.step(60);
    await lab.slide('gravity', 5);
    await lab.step(60);
    await (await lab.drag(1, 0.1, 0.2)).release();
    await lab.step(60);
    const [after] = await lab.plotted('angles');
    expect(after!.x).toHaveLength(541);
    const ticks = byTick(after!);
    for (let tick = 0; tick <= 540; tick++) expect(Number.isFinite(ticks.get(tick)), `tick ${tick}`).toBe(true);
    for (let tick = 0; tick < 300; tick++) expect(ticks.get(tick)).toBe(byTick(before!).get(tick));
  });

  test('the values drawn are those of the engine at that tick', async () => {
    await lab.fresh(3);
    await lab.step(200);
    const curves = await lab.plotted('angles');
    for (const tick of [0, 37, 120, 199]) {
      await go(tick);
      for (const link of [1, 2, 3]) expect(byTick(curves[link - 1]!).get(tick)).toBe(await lab.value(`theta_${link}`));
    }
  });

  test('a table has all rows, also after scrubbing', async () => {
    await lab.fresh(2);
    await lab.step(240);
    await go(238);
    await lab.tab('share');
    const [download] = await Promise.all([lab.page.waitForEvent('download'), lab.press('save-csv')]);
    const lines = readFileSync((await download.path())!, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
    expect(lines).toHaveLength(242);
    expect(lines[1]!.split(',')[0]).toBe('0');
    expect(Number(lines[241]!.split(',')[0])).toBe(2);
    await lab.tab('chain');
  });

  test('the plot of the energy error is there after a reset and another scene', async () => {
    await lab.fresh(2);
    await lab.press('plot-error');
    for (const scene of ['double-pendulum', 'four-bar', 'chain']) {
      await lab.preset(scene);
      await lab.step(30);
      expect((await lab.plotted('error'))[0]!.x, scene).toHaveLength(31);
    }
    await lab.press('plot-angles');
  });

  test('during a drag that is paused, plots follow', async () => {
    await lab.fresh(2);
    await lab.step(50);
    const before = byTick((await lab.plotted('angles'))[1]!).get(50);
    const { release } = await lab.drag(1, 0.15, 0.1);
    await expect.poll(async () => byTick((await lab.plotted('angles'))[1]!).get(50)).not.toBe(before);
    expect(byTick((await lab.plotted('angles'))[1]!).get(50)).toBe(await lab.value('theta_2'));
    await release();
  });

  test('an hour of motion is told at once, and any second of it in full', async () => {
    await lab.fresh(1);
    await lab.page.evaluate(() => globalThis.catenaLab.lab.edit((doc) => ((doc.simulation as Record<string, unknown>).tolerance = 1e-8)));
    await lab.page.evaluate(async () => {
      for (let i = 0; i < 60; i++) await globalThis.catenaLab.lab.step(7200);
    });
    const id = await panel('angles');
    await setPanel(id, { xRange: [0, 3600] });
    const [whole] = await lab.plotted('angles');
    expect(whole!.x[0]).toBe(0);
    expect(whole!.x.at(-1)).toBe(3600);
    expect(whole!.x.length).toBeGreaterThan(500);
    // A swing let go at 120 degrees reaches them again and again: the envelope shows it over the whole hour.
    const highest = (from: number, to: number) => Math.max(...whole!.y.filter((_, i) => whole!.x[i]! >= from && whole!.x[i]! < to));
    for (const [from, to] of [[0, 100], [1700, 1800], [3500, 3600]] as const) expect(highest(from, to)).toBeGreaterThan(0.99 * ((2 * Math.PI) / 3));
    await setPanel(id, { xRange: [1800, 1801] });
    const [close] = await lab.plotted('angles');
    expect(close!.x.filter((time) => time >= 1800 && time <= 1801)).toHaveLength(121);
    await setPanel(id, { xRange: null });
    // What the engine has taken for it.
    const bytes = await lab.page.evaluate(() => globalThis.catenaLab.client.memory());
    expect(bytes).toBeLessThan(300e6);
  });
});

describe('what is plotted', () => {
  test('axes have titles with units, and the legend the colours of the parts', async () => {
    await lab.fresh(2);
    await lab.step(60);
    const curves = await lab.plotted('angles');
    const { x, y, colors } = await lab.page.evaluate(() => {
      const { plots, charts, view } = globalThis.catenaLab;
      const chart = charts.get(plots.panels.value[0]!.id)!;
      return { x: chart.x.title, y: chart.y.title, colors: [view.colorOf(0), view.colorOf(1)] };
    });
    expect([x, y]).toEqual(['time [s]', 'θ [rad]']);
    expect(curves.map(({ color }) => color)).toEqual(colors);
    const legend = lab.page.locator('[data-shows=legend] >> nth=0');
    await expect.poll(() => legend.locator('li').count()).toBe(2);
    expect(await legend.locator('line').first().getAttribute('stroke')).toBe(colors[0]);
    expect(await legend.locator('li').first().textContent()).toContain('θ 1');
    // Its pixels, too: the first curve's colour is in the picture.
    const found = await lab.page.evaluate((color) => {
      const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-plot=angles]')!;
      const probe = document.createElement('canvas').getContext('2d')!;
      probe.fillStyle = color;
      probe.fillRect(0, 0, 1, 1);
      const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - r!) + Math.abs(data[i + 1]! - g!) + Math.abs(data[i + 2]! - b!) < 30 && data[i + 3]! > 200) count++;
      return count;
    }, colors[0]!);
    expect(found).toBeGreaterThan(20);
  });

  test('a part that is clicked is plotted; another column is chosen from the list, and against another', async () => {
    await lab.fresh(2);
    await lab.step(120);
    await lab.drawn();
    const box = (await lab.page.locator('.picture').boundingBox())!;
    const at = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(1));
    await lab.page.mouse.click(box.x + at.x, box.y + at.y);
    const curves = await lab.plotted('columns');
    expect(curves.map(({ title }) => title)).toEqual(['x 2', 'y 2', 'z 2']);
    expect(curves[0]!.y.at(-1)).toBe(await lab.value('x_2'));
    const id = await panel('columns');
    await lab.press(`plot-settings-${id}`);
    await lab.page.selectOption(`[data-control=plot-y-${id}]`, 'kinetic');
    await lab.page.selectOption(`[data-control=plot-x-${id}]`, 'x_2');
    const pairs = await lab.plotted('columns');
    expect(pairs.map(({ title }) => title)).toContain('kinetic');
    const kinetic = pairs.find(({ title }) => title === 'kinetic')!;
    expect([kinetic.x.at(-1), kinetic.y.at(-1)]).toEqual([await lab.value('x_2'), await lab.value('kinetic')]);
    await lab.page.selectOption(`[data-control=plot-x-${id}]`, 't');
    // A quantity that the picture does not need: the engine computes it for the past as well.
    await lab.page.selectOption(`[data-control=plot-y-${id}]`, 'ly_2');
    const turning = (await lab.plotted('columns')).find(({ title }) => title === 'ly 2')!;
    expect(turning.x).toHaveLength(121);
    expect(turning.y.every(Number.isFinite)).toBe(true);
    const [download] = await Promise.all([lab.page.waitForEvent('download'), lab.press(`plot-csv-${id}`)]);
    const lines = readFileSync((await download.path())!, 'utf8').trim().split('\n');
    expect(lines[1]).toBe('curve,t,value');
    expect(lines.filter((line) => line.startsWith('"x 2"'))).toHaveLength(121);
    // The picture of it: as large as the canvas, with the same pixels on the page's own ground.
    const [picture] = await Promise.all([lab.page.waitForEvent('download'), lab.press(`plot-png-${id}`)]);
    expect(picture.suggestedFilename()).toMatch(/^chain-.*\.png$/);
    const png = readFileSync((await picture.path())!).toString('base64');
    const compared = await lab.page.evaluate(async ([base64, one]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.querySelector<HTMLCanvasElement>(`[data-panel="${one}"] canvas`)!;
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [image.width, image.height];
      const pen = copy.getContext('2d')!;
      pen.drawImage(image, 0, 0);
      const [saved, shown] = [pen, canvas.getContext('2d')!].map((from) => from.getImageData(0, 0, image.width, image.height).data);
      let [drawn, same] = [0, 0];
      for (let i = 0; i < shown!.length; i += 4) {
        if (shown![i + 3]! < 255) continue;
        drawn++;
        if ([0, 1, 2].every((k) => Math.abs(saved![i + k]! - shown![i + k]!) < 3)) same++;
      }
      return { sizes: [image.width - canvas.width, image.height - canvas.height], drawn, same, corner: saved![3] };
    }, [png, String(id)]);
    expect(compared.sizes).toEqual([0, 0]);
    expect(compared.drawn).toBeGreaterThan(100);
    expect(compared.same).toBe(compared.drawn);
    expect(compared.corner).toBe(255);
    await lab.press(`plot-remove-${id}`);
  });

  test('one plot more: empty at first, filled from the list, six at most; each is drawn, and goes again', async () => {
    await lab.fresh(2);
    await lab.step(120);
    const figures = () => lab.page.locator('.plots figure').count();
    expect(await figures()).toBe(3);
    await lab.press('plot-add');
    expect(await figures()).toBe(4);
    const id = await panel('columns');
    expect(await lab.page.isVisible('.plot-settings')).toBe(true); // it asks at once what it is to show
    expect(await lab.plotted('columns')).toEqual([]);
    await lab.page.selectOption(`[data-control=plot-y-${id}]`, 'kinetic');
    const [curve] = await lab.plotted('columns');
    expect(curve!.x).toHaveLength(121);
    expect(curve!.y.at(-1)).toBe(await lab.value('kinetic'));
    await lab.press(`plot-close-${id}`);
    expect(await lab.page.textContent(`[data-panel="${id}"] .legend`)).toContain('kinetic');
    expect((await trace('columns')).length).toBeGreaterThan(15); // of its canvas's columns: a second
    // Up to six; then there is no button for another.
    for (const count of [5, 6]) {
      await lab.press('plot-add');
      expect(await figures()).toBe(count);
    }
    expect(await lab.page.locator('[data-action=plot-add]').count()).toBe(0);
    // All of them can be seen, if need be by scrolling.
    for (const figure of await lab.page.locator('.plots figure').all()) {
      await figure.scrollIntoViewIfNeeded();
      expect((await figure.boundingBox())!.width).toBeGreaterThan(150);
    }
    for (const one of await lab.page.evaluate(() => globalThis.catenaLab.plots.panels.value.filter(({ what }) => what === 'columns').map((own) => own.id))) {
      if (!(await lab.page.isVisible(`[data-action=plot-remove-${one}]`))) await lab.press(`plot-settings-${one}`);
      await lab.press(`plot-remove-${one}`);
    }
    expect(await figures()).toBe(3);
  });

  test('the switch for a logarithmic axis: what falls exponentially is a straight line of pixels', async () => {
    // A turning link without weight, slowed at the rate 0.8/s: its angular velocity is 6 exp(-0.8 t).
    await lab.load('[simulation]\nduration = 20\ngravity = 0\n[chain]\nvelocity_damping = 0.8\n[[chain.links]]\nlength = 1\nmass = 1\ntheta_dot = 6');
    await lab.step(120 * 5);
    const id = await lab.page.evaluate(() => globalThis.catenaLab.plots.add({ y: ['theta_dot_1'] }));
    const axis = () => lab.page.evaluate((one) => globalThis.catenaLab.charts.get(one)!.y, id);
    await lab.plotted('columns');
    const bend = async () => {
      const points = await trace('columns');
      const [a, b, c] = [0.1, 0.5, 0.9].map((part) => points[Math.round(part * (points.length - 1))]!);
      return b![1] - a![1] - ((c![1] - a![1]) * (b![0] - a![0])) / (c![0] - a![0]);
    };
    expect(Math.abs(await bend())).toBeGreaterThan(12); // pixels
    await lab.press(`plot-settings-${id}`);
    await lab.page.click(`[data-control=plot-log-${id}]`);
    await lab.press(`plot-close-${id}`);
    const [curve] = await lab.plotted('columns');
    expect(await axis()).toMatchObject({ log: true });
    expect(curve!.y.at(-1)).toBeCloseTo(6 * Math.exp(-4), 9);
    expect(Math.abs(await bend())).toBeLessThan(2);
    // Ticks where powers of ten are few, and numbers at them.
    const ticks = await lab.page.evaluate((one) => globalThis.catenaLab.charts.get(one)!.y.range, id);
    expect(ticks[0]).toBeGreaterThan(0);
    expect(ticks[1] / ticks[0]).toBeGreaterThan(Math.exp(4));
    // What has both signs shows its size, and says so.
    await lab.page.evaluate((one) => globalThis.catenaLab.plots.change(one, { y: ['x_1'] }), id);
    await expect.poll(async () => (await lab.plotted('columns'))[0]!.title).toBe('|x 1|');
    expect((await axis()).title).toBe('|x| [m]');
    expect((await lab.plotted('columns'))[0]!.y.every((value) => value >= 0)).toBe(true);
    await lab.press(`plot-settings-${id}`);
    await lab.page.click(`[data-control=plot-log-${id}]`);
    await expect.poll(async () => (await lab.plotted('columns'))[0]!.title).toBe('x 1');
    expect(await axis()).toMatchObject({ log: false, title: 'x [m]' });
    await lab.press(`plot-remove-${id}`);
  });

  test('a rate over steps of the past says over how long, where not every tick is seen', async () => {
    await lab.fresh(1);
    await lab.step(120 * 120);
    const id = await panel('angles');
    const title = () => lab.page.evaluate((one) => globalThis.catenaLab.charts.get(one)!.y.title, id);
    await setPanel(id, { kind: 'rate', xRange: [0, 120] });
    await lab.plotted('angles');
    expect(await title()).toMatch(/^Δ\(θ\)\/Δt, Δt = 0\.\d+ s \[rad\/s\]$/);
    await setPanel(id, { xRange: [3, 5] });
    await lab.plotted('angles');
    expect(await title()).toBe('d(θ)/dt [rad/s]');
    await setPanel(id, { kind: 'value', xRange: null });
  });

  test('a recorded run of many rows shows all its peaks', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => `${i / 1000},${Math.sin(i / 5000)},0,${i === 33_333 ? -50 : i === 41_234 ? 70 : -1}`);
    await lab.tab('share');
    await lab.page.setInputFiles('[data-control=file]', { name: 'peaks.csv', mimeType: 'text/csv', buffer: Buffer.from(`t,x_1,y_1,z_1\n${rows.join('\n')}\n`) });
    await lab.page.waitForSelector('[data-shows=run-panel]');
    await lab.page.evaluate(() => globalThis.catenaLab.plots.add({ y: ['z_1'] }));
    const [curve] = await lab.plotted('columns');
    expect(curve!.x.length).toBeLessThan(5000);
    expect([Math.min(...curve!.y), Math.max(...curve!.y)]).toEqual([-50, 70]);
    const at = curve!.x[curve!.y.indexOf(70)]!;
    expect(Math.abs(at - 41.234)).toBeLessThan(0.5);
    await lab.page.evaluate(() => globalThis.catenaLab.plots.panels.value.filter(({ what }) => what === 'columns').forEach(({ id }) => globalThis.catenaLab.plots.remove(id)));
    await lab.press('leave-run');
    await lab.tab('chain');
  });

  test('portraits of mechanisms: the rate of each joint against its place, and what is across is said', async () => {
    await lab.preset('four-bar');
    await lab.step(60);
    const curves = await lab.plotted('phase');
    expect(curves).toHaveLength(4);
    for (const [i, joint] of ['drive', 'crank-pin', 'rocker-pin', 'pivot'].entries()) {
      expect(curves[i]!.y.at(-1), joint).toBe(await lab.value(`angle_${joint}_dot`));
      expect(Math.cos(curves[i]!.x.at(-1)! - (await lab.value(`angle_${joint}`))), joint).toBeCloseTo(1, 12);
    }
    expect(await lab.page.evaluate(() => globalThis.catenaLab.plots.panels.value.map(({ id }) => globalThis.catenaLab.charts.get(id)!.y.title))).toEqual(['angle [rad]', 'angle′ [rad/s]', 'angle [rad]']);
    for (const [what, across] of [['phase', 'each its own'], ['angles', 'time [s]']] as const) {
      const id = await panel(what);
      await lab.press(`plot-settings-${id}`);
      await expect.poll(() => lab.page.locator(`[data-control=plot-x-${id}] option:checked`).textContent()).toBe(across);
      await lab.press(`plot-close-${id}`);
    }
  });

  test('chains of several names have their signs, units and colours; coordinates have no units but their own', async () => {
    await lab.preset('coupled-pendulums');
    await lab.step(60);
    const curves = await lab.plotted('angles');
    expect(curves.map(({ title }) => title)).toEqual(['θ left 1', 'θ right 1']);
    expect(curves.map(({ color }) => color)).toEqual(await lab.page.evaluate(() => [0, 1].map((link) => globalThis.catenaLab.view.colorOf(link))));
    expect(curves[0]!.color).not.toBe(curves[1]!.color);
    const title = () => lab.page.evaluate(() => globalThis.catenaLab.charts.get(globalThis.catenaLab.plots.panels.value[0]!.id)!.y.title);
    expect(await title()).toBe('θ [rad]');
    await lab.preset('kepler');
    await lab.step(10);
    await lab.plotted('angles');
    expect(await title()).toBe('x, y');
  });

  test('a free body shows how it turns, and where it goes', async () => {
    await lab.preset('intermediate-axis');
    await lab.step(120);
    const name = (await lab.state()).bodies[0]!.name;
    const curves = await lab.plotted('angles');
    expect(curves.map(({ title }) => title)).toEqual(['x', 'y', 'z'].map((axis) => `ω${axis} ${name}`));
    for (const curve of curves) expect(curve.y).toHaveLength(121);
    expect(Math.max(...curves.flatMap(({ y }) => y.map(Math.abs)))).toBeGreaterThan(0.5); // it spins
    expect((await lab.plotted('phase'))[0]!.y).toHaveLength(121);
    expect((await lab.plotted('adjacent'))[0]!.y).toHaveLength(121);
  });

  test('what hardly changes is told by its differences, and what is the same is a level line', async () => {
    await lab.preset('conical'); // at a constant angle, but for roundoff
    await lab.step(240);
    await lab.plotted('angles');
    const [low, high] = await lab.page.evaluate(() => globalThis.catenaLab.charts.get(globalThis.catenaLab.plots.panels.value[0]!.id)!.y.range);
    expect(high - low).toBeGreaterThan(0.05);
    expect(low).toBeLessThan(Math.PI / 3);
    expect(high).toBeGreaterThan(Math.PI / 3);
  });

  test('metres are not wrapped', async () => {
    await lab.preset('slider-crank');
    await lab.step(200);
    const curves = await lab.plotted('phase');
    const names = await lab.page.evaluate(() => globalThis.catenaLab.plots.mainColumns().map(({ place }) => place));
    for (const [i, name] of names.entries()) {
      const values = curves[i]!.x.filter(Number.isFinite);
      if (name.startsWith('travel_')) expect(values.at(-1)).toBe(await lab.value(name));
      else for (const value of values) expect(Math.abs(value)).toBeLessThanOrEqual(Math.PI + 1e-12);
    }
  });

  test('derivative and spectrum: a small swing has the rate that the engine says, and one peak at its frequency', async () => {
    await lab.page.evaluate(async () => {
      const { lab: engine } = globalThis.catenaLab;
      await engine.stop();
      await engine.load('[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "2 deg"', 'chain');
      await engine.step(120 * 38);
    });
    const id = await panel('angles');
    await setPanel(id, { kind: 'rate', xRange: [10, 12] });
    const [rate] = await lab.plotted('angles');
    await go(1320);
    // Central differences over 1/120 s: (omega h)^2/6 of the amplitude.
    expect(Math.abs(byTick(rate!).get(1320)! - (await lab.value('theta_dot_1')))).toBeLessThan(1.2e-4 * 0.11);
    await setPanel(id, { kind: 'spectrum', xRange: null });
    const [peak] = await lab.plotted('angles');
    const top = peak!.y.indexOf(Math.max(...peak!.y));
    expect(peak!.x[top]).toBeCloseTo(Math.sqrt(9.81) / (2 * Math.PI), 2);
    expect(peak!.y[top]).toBeCloseTo((2 * Math.PI) / 180, 3);
    await setPanel(id, { kind: 'value' });
  });

  test('the wheel zooms, dragging moves, a double click goes back, and the cursor tells values', async () => {
    await lab.fresh(1);
    await lab.step(1200);
    await lab.plotted('angles');
    const box = (await lab.page.locator('canvas[data-plot=angles]').boundingBox())!;
    const range = () => lab.page.evaluate(() => globalThis.catenaLab.charts.get(globalThis.catenaLab.plots.panels.value[0]!.id)!.x.range);
    const [from, to] = await range();
    await lab.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => lab.page.textContent('[data-shows=legend] .at')).toMatch(/^\d/);
    await lab.page.mouse.wheel(0, -300);
    await lab.plotted('angles');
    const [a, b] = await range();
    expect(b - a).toBeLessThan(0.7 * (to - from));
    await lab.page.mouse.down();
    await lab.page.mouse.move(box.x + box.width / 2 + 100, box.y + box.height / 2, { steps: 4 });
    await lab.page.mouse.up();
    await lab.plotted('angles');
    expect((await range())[0]).toBeLessThan(a);
    await lab.page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await lab.plotted('angles');
    expect(await range()).toEqual([from, to]);
    await lab.page.mouse.move(10, 10);
  });
});

test('on a phone a finger that taps a bob plots it, and one plot more is made and looked at', async () => {
  const phone = await LabPage.open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  await phone.step(60);
  await phone.drawn();
  const box = (await phone.page.locator('.picture').boundingBox())!;
  const at = await phone.page.evaluate(() => globalThis.catenaLab.view.screenOf(2));
  await phone.page.touchscreen.tap(box.x + at.x, box.y + at.y);
  const curves = await phone.plotted('columns');
  expect(curves.map(({ title }) => title)).toEqual(['x 3', 'y 3', 'z 3']);
  // It is seen without looking for it.
  const inSight = () => phone.page.evaluate(() => {
    const { left, right } = document.querySelector('.plots figure:last-of-type')!.getBoundingClientRect();
    return left > -20 && right < innerWidth + 20;
  });
  await expect.poll(inSight).toBe(true);
  await phone.page.tap('[data-action=plot-add]');
  await phone.page.waitForSelector('.plot-settings');
  const settings = (await phone.page.locator('.plot-settings').boundingBox())!;
  expect(settings.x).toBeGreaterThanOrEqual(0);
  expect(settings.x + settings.width).toBeLessThanOrEqual(390);
  expect(settings.y).toBeGreaterThanOrEqual(0);
  expect(settings.y + settings.height).toBeLessThanOrEqual(844);
  await expect.poll(inSight).toBe(true);
  expect(phone.problems).toEqual([]);
  await phone.close();
});

test('on a phone a finger that taps reads values', async () => {
  const phone = await LabPage.open(browser, server.address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
  await phone.step(240);
  const curves = await phone.plotted('angles');
  expect(curves[0]!.x).toHaveLength(241);
  await phone.page.locator('canvas[data-plot=angles]').scrollIntoViewIfNeeded();
  const box = (await phone.page.locator('canvas[data-plot=angles]').boundingBox())!;
  const client = await phone.page.context().newCDPSession(phone.page);
  const point = (part: number) => [{ x: box.x + part * box.width, y: box.y + box.height / 2 }];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: point(0.5) });
  await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: point(0.51) });
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(() => phone.page.textContent('[data-shows=legend] .at')).toMatch(/^\d/);
  expect(phone.problems).toEqual([]);
  await phone.close();
});
