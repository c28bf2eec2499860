// Drawing by hand: from an empty page to mechanisms that run, by mouse and by touch, and what is refused on the way.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catena } from '../support';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

type Spot = [number, number]; // x and z

// What a person does, counted: a tap, a drag, a choice.
class Person {
  gestures = 0;
  private touch: CDPSession | null = null;

  constructor(
    readonly page: LabPage,
    private readonly byTouch: boolean,
  ) {}

  async ready() {
    if (this.byTouch) this.touch = await this.page.page.context().newCDPSession(this.page.page);
    return this;
  }

  // Where it is seen, once the picture rests.
  private async spot([x, z]: Spot) {
    for (let before = { x: NaN, y: NaN }; ; ) {
      const box = (await this.page.page.locator('.picture').boundingBox())!;
      const seen = await this.page.seen([x, 0, z]);
      const now = { x: box.x + seen.x, y: box.y + seen.y };
      if (Math.abs(now.x - before.x) + Math.abs(now.y - before.y) < 0.1) return now;
      before = now;
      await this.page.drawn();
    }
  }

  // A browser on a busy machine may take a touch for something else, or for nothing: then it is done again. `event` at
  // `selector` says that it was taken.
  private async untilTaken(selector: string, event: 'click' | 'pointerup', act: () => Promise<void>) {
    if (!this.byTouch) return act();
    for (let tries = 0; tries < 4; tries++) {
      await this.page.page.evaluate(([wanted, name]) => {
        const taken = { done: false };
        (globalThis as unknown as { taken: typeof taken }).taken = taken;
        const look = ({ target }: Event) => (taken.done ||= target instanceof Element && target.closest(wanted!) !== null);
        document.addEventListener(name!, look, { capture: true, once: true });
      }, [selector, event]);
      await act();
      const seen = () => (globalThis as unknown as { taken: { done: boolean } }).taken.done;
      if (await this.page.page.waitForFunction(seen, undefined, { timeout: 2000 }).then(() => true, () => false)) return;
    }
  }

  async choose(option: string) {
    this.gestures++;
    await this.page.page.selectOption('[data-control=preset]', option);
    await this.page.drawn();
  }

  async press(selector: string) {
    this.gestures++;
    const place = this.page.page.locator(selector).first();
    await place.scrollIntoViewIfNeeded(); // looking is no gesture
    await this.untilTaken(selector, 'click', () => (this.byTouch ? place.tap() : place.click()));
    await this.page.drawn();
  }

  tool(name: string) {
    return this.press(`[data-tool="${name}"]`);
  }

  async drag(from: Spot, to: Spot) {
    this.gestures++;
    const [a, b] = [await this.spot(from), await this.spot(to)];
    const way = [0.3, 0.7, 1].map((part) => ({ x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y) }));
    const { touch } = this;
    if (touch) {
      await this.untilTaken('.picture', 'pointerup', async () => {
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [a] });
        for (const place of way) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [place] });
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      });
    } else {
      const { mouse } = this.page.page;
      await mouse.move(a.x, a.y);
      await mouse.down();
      for (const { x, y } of way) await mouse.move(x, y);
      await mouse.up();
    }
    await this.page.drawn();
  }

  async tap(place: Spot) {
    this.gestures++;
    const { x, y } = await this.spot(place);
    if (this.byTouch) await this.untilTaken('.picture', 'pointerup', () => this.page.page.touchscreen.tap(x, y));
    else await this.page.page.mouse.click(x, y);
    await this.page.drawn();
  }
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'catena-build-'));
const pictures = process.env.CATENA_PICTURES;
const picture = async (page: LabPage, name: string) => pictures && page.page.screenshot({ path: path.join(pictures, `${name}.png`) });

// What was drawn reads back from its text to the same scene, and runs in the native program to the same motion.
async function runsElsewhere(page: LabPage, name: string) {
  const { text, again, scene } = await page.page.evaluate(async () => {
    const { lab: engine, store, builder } = globalThis.catenaLab;
    const written = builder.textOf(store.scene.value);
    const read = (await engine.check(written, 'scene.toml'))!.scene;
    return { text: written, again: JSON.stringify(read), scene: JSON.stringify(store.scene.value) };
  });
  expect(again).toBe(scene);
  const file = path.join(folder, `${name}.toml`);
  writeFileSync(file, text);
  const out = path.join(folder, `${name}.csv`);
  const ticks = 120;
  execFileSync(catena, ['run', file, '-o', out, '--times', String(ticks / 120), '--quantities', 'position,velocity'], { stdio: 'pipe' });
  const lines = readFileSync(out, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  const [names, values] = [lines[0]!.split(','), lines.at(-1)!.split(',').map(Number)];
  await page.page.evaluate(async (tick) => {
    const { lab: engine, store } = globalThis.catenaLab;
    await engine.stop();
    if (store.standing.value.end < tick) await engine.step(tick - store.standing.value.tick);
    await engine.go(tick);
  }, ticks);
  const { row, names: own } = await page.state();
  let compared = 0;
  names.forEach((column, i) => {
    const mine = own.indexOf(column);
    if (mine < 0 || column === 't') return;
    compared++;
    expect(Math.abs(row[mine]! - values[i]!), column).toBeLessThan(1e-9 * (1 + Math.abs(values[i]!)));
  });
  expect(compared).toBeGreaterThan(5);
}

const running = (page: LabPage) => page.page.waitForFunction(() => globalThis.catenaLab.store.running.value && globalThis.catenaLab.store.standing.value.tick > 60);
const curvePoints = (page: LabPage) => page.page.evaluate(() => globalThis.catenaLab.view.trails.curves.pointsOf(0).length);

async function isPlotted(page: LabPage, stem: RegExp) {
  const lines = await page.plotted('columns');
  expect(lines.length).toBeGreaterThan(0);
  for (const { title, y } of lines) {
    expect(title).toMatch(stem);
    expect(y.some((value) => Number.isFinite(value) && value !== 0), title).toBe(true);
  }
}

type Built = (person: Person) => Promise<void>;

const fourBar: Built = async (person) => {
  await person.choose('drawing');
  await person.drag([-0.5, -0.2], [-0.4, 0.1]);
  await person.drag([-0.4, 0.1], [0.4, 0.4]);
  await person.press('[data-action=trace-part]');
  await person.drag([0.4, 0.4], [0.3, -0.2]);
  await person.tool('ground');
  await person.tap([0.3, -0.2]);
  await person.tool('motor');
  await person.tap([-0.5, -0.2]);
  await person.press('[data-action=plot-part]');
  await person.press('[data-action=run]');
};

const sliderCrank: Built = async (person) => {
  await person.choose('drawing');
  await person.drag([-0.5, 0], [-0.4, 0.2]);
  await person.drag([-0.4, 0.2], [0.4, 0]);
  await person.press('[data-action=trace-part]');
  await person.tool('box');
  await person.tap([0.4, 0]);
  await person.tool('joint:prismatic');
  await person.tap([0.4, 0]);
  await person.tool('motor');
  await person.tap([-0.5, 0]);
  await person.press('[data-action=plot-part]');
  await person.press('[data-action=run]');
};

const pendulumOnACart: Built = async (person) => {
  await person.choose('drawing');
  await person.tool('box');
  await person.tap([0, 0.2]);
  await person.tool('joint:prismatic');
  await person.tap([0, 0.2]);
  await person.tool('bar');
  await person.drag([0, 0.2], [0.3, -0.1]);
  await person.drag([0.3, -0.1], [0.6, 0.1]);
  await person.press('[data-action=trace-part]');
  await person.press('[data-action=plot-part]');
  await person.press('[data-action=run]');
};

const chainBetweenBodies: Built = async (person) => {
  await person.choose('drawing');
  await person.tool('box');
  await person.tap([-0.6, 0.2]);
  await person.tap([0.6, 0.2]);
  await person.tool('joint:prismatic');
  await person.tap([-0.6, 0.2]);
  await person.tap([0.6, 0.2]);
  await person.tool('chain');
  await person.drag([-0.6, 0.2], [0.6, 0.2]);
  await person.press('[data-action=plot-part]');
  await person.press('[data-action=run]');
};

const mechanisms: { name: string; build: Built; freedom: number; bodies: number; joints: number; curve: boolean; plot: RegExp }[] = [
  { name: 'a motor-driven four-bar', build: fourBar, freedom: 0, bodies: 3, joints: 4, curve: true, plot: /f[xz]/ },
  { name: 'a slider-crank', build: sliderCrank, freedom: 0, bodies: 3, joints: 4, curve: true, plot: /f[xz]/ },
  { name: 'a double pendulum on a cart', build: pendulumOnACart, freedom: 3, bodies: 3, joints: 3, curve: true, plot: /f[xz]/ },
  { name: 'a chain between two bodies', build: chainBetweenBodies, freedom: -1, bodies: 2, joints: 2, curve: false, plot: /tension/ },
];

describe.each([
  ['by mouse', {}, false],
  ['by touch at 390 x 844', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, true],
] as const)('from an empty page %s', (_, options, byTouch) => {
  let page: LabPage;
  beforeAll(async () => {
    page = await LabPage.open(browser, server.address, options);
  });
  afterAll(() => page?.close());

  test.each(mechanisms)('$name in at most 12 gestures', async ({ name, build, freedom, bodies, joints, curve, plot }) => {
    const person = await new Person(page, byTouch).ready();
    await build(person);
    expect(await page.page.evaluate(() => globalThis.catenaLab.builder.refusal.value)).toBeNull();
    await running(page);
    await picture(page, `${byTouch ? 'touch' : 'mouse'}-${name.replaceAll(' ', '-')}`);
    expect(person.gestures).toBeLessThanOrEqual(12);
    const found = await page.page.evaluate(() => {
      const { degrees_of_freedom, bodies: all, joints: held } = globalThis.catenaLab.store.description.value!;
      return { freedom: degrees_of_freedom, bodies: all.length, joints: held.length };
    });
    expect(found).toMatchObject({ bodies, joints, ...(freedom < 0 ? {} : { freedom }) });
    if (curve) await expect.poll(() => curvePoints(page), { timeout: 20_000 }).toBeGreaterThan(10); // as soon as it is drawn
    await page.page.evaluate(() => globalThis.catenaLab.lab.stop());
    await isPlotted(page, plot);
    await runsElsewhere(page, `${byTouch}-${name.replaceAll(' ', '-')}`);
    expect(page.problems).toEqual([]);
  });
});

describe('a drawing', () => {
  const scene = () => lab.page.evaluate(() => JSON.stringify(globalThis.catenaLab.store.scene.value));
  const refusal = () => lab.page.textContent('[data-shows=refusal]');

  test('tells its freedom and what is missing while it is drawn, on the parts', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.drag([-0.5, 0], [0, 0]);
    expect(await lab.page.textContent('[data-shows=freedom]')).toBe('6');
    expect(await lab.page.locator('[data-hint="build.hint.free"]').count()).toBe(1);
    await person.tool('ground');
    await person.tap([-0.5, 0]);
    expect(await lab.page.textContent('[data-shows=freedom]')).toBe('1');
    expect(await lab.page.locator('[data-hint]').count()).toBe(0);
    await picture(lab, 'one-bar');
  });

  test('is undone and done again step by step', async () => {
    const two = await scene();
    await lab.press('undo');
    await lab.state();
    expect(JSON.parse(await scene()).joints).toBeUndefined();
    await lab.press('redo');
    await lab.state();
    expect(await scene()).toBe(two);
  });

  test('follows numbers that are typed, and a hand that drags a pivot is one step', async () => {
    const person = await new Person(lab, false).ready();
    await person.tool('select');
    await person.tap([-0.25, 0]);
    await lab.type('part-length', 0.8);
    await lab.state();
    expect(JSON.parse(await scene()).bodies[0]).toMatchObject({ length: 0.8, position: [-0.1, 0, 0] });
    const before = await scene();
    await person.drag([0.3, 0], [0.3, 0.4]);
    const dragged = JSON.parse(await scene()).bodies[0];
    expect(dragged.length).toBeCloseTo(Math.hypot(0.8, 0.4), 9);
    await lab.press('undo');
    await lab.state();
    expect(await scene()).toBe(before);
  });

  test('refuses what cannot be, with the reason at the part, and stays as it was', async () => {
    const person = await new Person(lab, false).ready();
    const before = await scene();
    await person.tool('bar');
    await person.tap([0.5, 0.5]); // no length
    expect(await refusal()).toMatch(/no length/);
    await person.tool('ground');
    await person.tap([0.6, -0.5]); // nothing there
    expect(await refusal()).toMatch(/nothing here/);
    await person.tap([-0.5, 0]); // held already
    expect(await refusal()).toMatch(/already/);
    const place = await lab.seen([-0.5, 0, 0]);
    const box = (await lab.page.locator('[data-shows=refusal]').boundingBox())!;
    const picture0 = (await lab.page.locator('.picture').boundingBox())!;
    expect(Math.abs(box.x - picture0.x - place.x)).toBeLessThan(60);
    await picture(lab, 'refusal');
    expect(await scene()).toBe(before);
  });

  test('a second motor against the first is refused by the engine, at the joint', async () => {
    const person = await new Person(lab, false).ready();
    await fourBar(person);
    await lab.press('back-to-drawing');
    await lab.state();
    const before = await scene();
    await person.tool('motor');
    await person.tap([0.3, -0.2]);
    expect(await refusal()).toMatch(/motor/);
    expect(await scene()).toBe(before);
  });

  test('refuses what would hold itself, a motor where one is, and a loop that cannot close, each with its reason where it is', async () => {
    const person = await new Person(lab, false).ready();
    await fourBar(person);
    await lab.press('back-to-drawing');
    await lab.state();
    const before = await scene();
    await person.tool('joint:distance');
    await person.drag([-0.2, 0.175], [0.2, 0.325]); // both on the coupler
    expect(await refusal()).toMatch(/itself/);
    await person.tool('spring');
    await person.drag([-0.2, 0.175], [0.2, 0.325]);
    expect(await refusal()).toMatch(/itself/);
    await person.tap([-0.2, 0.175]); // no length
    expect(await refusal()).toMatch(/no length/);
    await person.tool('motor');
    await person.tap([-0.5, -0.2]); // driven already, by a formula of one's own perhaps
    expect(await refusal()).toMatch(/motor here already/);
    await person.tool('joint:gear');
    await person.tap([-0.4, 0.1]);
    await person.tap([-0.4, 0.1]);
    expect(await refusal()).toMatch(/itself/);
    expect(await scene()).toBe(before);
    // A loop that cannot close, as a text says it: at its line.
    await lab.page.evaluate(() => ((document.querySelector('.text-pane') as HTMLDetailsElement).open = true));
    const open = '[simulation]\nduration = 5\n[[bodies]]\nname = "a"\nshape = "rod"\nlength = 1\nmass = 1\nposition = [0.5, 0, 0]\n[[joints]]\nname = "near"\nkind = "revolute"\nbodies = ["ground", "a"]\nanchors = [[0, 0, 0], [-0.5, 0, 0]]\naxes = [[0, 1, 0], [0, 1, 0]]\n[[joints]]\nname = "far"\nkind = "revolute"\nbodies = ["ground", "a"]\nanchors = [[5, 0, 0], [0.5, 0, 0]]\naxes = [[0, 1, 0], [0, 1, 0]]\n';
    await lab.page.locator('[data-control=text]').fill(open);
    await expect.poll(() => lab.page.textContent('[data-shows=text-mistakes]')).toMatch(/line \d+:.*cannot close/);
    expect(await scene()).toBe(before);
    // Drawing goes on meanwhile, and what is half typed stays until one takes the drawing's text.
    await person.tool('point');
    await person.tap([0.7, -0.4]);
    await lab.page.waitForSelector('[data-shows=text-behind]');
    expect(await lab.page.inputValue('[data-control=text]')).toBe(open);
    await lab.press('take-drawing');
    await expect.poll(() => lab.page.inputValue('[data-control=text]')).toContain('shape = "point"');
    expect(await lab.page.locator('[data-shows=text-mistakes] li').count()).toBe(0);
    expect(JSON.parse(await scene()).bodies).toHaveLength(4);
    await lab.page.evaluate(() => ((document.querySelector('.text-pane') as HTMLDetailsElement).open = false));
  });

  test('hands are drawn to the grid, to round angles and to points, and to none of them with Alt', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    const step = await lab.page.evaluate(() => globalThis.catenaLab.builder.gridOf());
    const ends = async (index: number) => {
      const body = JSON.parse(await scene()).bodies[index];
      const turn = Number(body.orientation?.angle ?? 0);
      return [-1, 1].map((side) => [body.position[0] + (side * body.length * Math.cos(turn)) / 2, body.position[2] - (side * body.length * Math.sin(turn)) / 2] as Spot);
    };
    const off = (value: number, of: number) => Math.abs(value / of - Math.round(value / of)) * of;
    await person.drag([-0.4 + 0.2 * step, 0.2 * step], [0.2 * step, -0.2 * step]);
    for (const [x, z] of await ends(0)) expect(Math.max(off(x, step), off(z, step))).toBeLessThan(1e-9);
    // Nearly along 30 degrees: exactly so.
    await person.drag([-0.4, -0.4], [-0.4 + 0.3 * Math.cos(0.53), -0.4 + 0.3 * Math.sin(0.53)]);
    const [from, to] = await ends(1);
    expect(off(Math.atan2(to![1] - from![1], to![0] - from![0]), Math.PI / 12)).toBeLessThan(1e-9);
    // Near the end of another bar: there, and pinned to it.
    await person.drag([0.006, 0.004], [0.3, 0.25]);
    expect(JSON.parse(await scene()).joints).toHaveLength(1);
    await lab.page.keyboard.down('Alt');
    await person.drag([0.5 + 0.31 * step, -0.41 * step], [0.7 + 0.37 * step, -0.3 + 0.13 * step]);
    await lab.page.keyboard.up('Alt');
    const free = (await ends(3)).flat();
    expect(Math.max(...free.map((value) => off(value, step)))).toBeGreaterThan(0.05 * step);
  });

  test('numbers are typed: angle, place, mass and name; a motor has a speed knob and a formula', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.drag([-0.5, 0], [0, 0]);
    await person.tool('motor');
    await person.tap([-0.5, 0]);
    const joint = async () => JSON.parse(await scene()).joints[0];
    expect((await joint()).motor).toEqual({ angle: '3*t' });
    await lab.type('motor-rate', 7.5);
    await lab.state();
    expect((await joint()).motor).toEqual({ angle: '7.5*t' });
    await lab.slide('motor-rate', -2);
    await lab.state();
    expect((await joint()).motor).toEqual({ angle: '-2*t' });
    const formula = lab.page.locator('[data-typed=motor-formula]');
    await formula.fill('0.5*sin(2*t');
    await formula.press('Enter');
    await expect.poll(() => lab.page.locator('label:has([data-typed=motor-formula]) [data-shows=field-mistake]').count()).toBe(1);
    expect(await formula.inputValue()).toBe('0.5*sin(2*t'); // kept, with what is wrong beside it
    expect((await joint()).motor).toEqual({ angle: '-2*t' });
    await formula.fill('0.5*sin(2*t)');
    await formula.press('Enter');
    await lab.state();
    expect((await joint()).motor).toEqual({ angle: '0.5*sin(2*t)' });
    await person.tool('select');
    await person.tap([-0.25, 0]);
    for (const [field, value] of [['angle', 30], ['mass', 2.5]] as const) {
      await lab.type(`part-${field}`, value);
      await lab.state();
    }
    const name = lab.page.locator('[data-typed=part-name]');
    await name.fill('crank');
    await name.press('Enter');
    await lab.state();
    const { bodies, joints } = JSON.parse(await scene());
    expect(bodies[0]).toMatchObject({ name: 'crank', mass: 2.5, length: 0.5 });
    expect(bodies[0].position[0]).toBeCloseTo(-0.5 + 0.25 * Math.cos(Math.PI / 6), 9);
    expect(bodies[0].position[2]).toBeCloseTo(0.25 * Math.sin(Math.PI / 6), 9);
    expect(joints[0].bodies).toEqual(['ground', 'crank']);
    await lab.type('part-z', 1.125);
    await lab.state();
    expect(JSON.parse(await scene()).bodies[0].position[2]).toBe(1.125);
  });

  test('several are selected, carried together, copied, welded into one and deleted; each is undone', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.tool('box');
    await person.tap([-0.4, 0.2]);
    await person.tap([0.4, 0.2]);
    await person.tool('select'); // the second is still selected
    await lab.page.click('[data-control=several]');
    await person.tap([-0.4, 0.2]);
    expect(await lab.page.textContent('[data-shows=card] legend')).toContain('2');
    await lab.page.click('[data-control=several]');
    const places = async () => JSON.parse(await scene()).bodies.map(({ position: [x, , z] }: { position: number[] }) => [Number(x!.toFixed(9)), Number(z!.toFixed(9))]);
    const before = await places();
    await person.drag([-0.4, 0.2], [-0.4, -0.1]);
    expect(await places()).toEqual(before.map(([x, z]: Spot) => [x, Number((z - 0.3).toFixed(9))]));
    await person.press('[data-action=weld-part]');
    expect(await lab.page.textContent('[data-shows=freedom]')).toBe('6');
    await person.press('[data-action=copy-part]');
    expect(JSON.parse(await scene())).toMatchObject({ bodies: { length: 4 }, joints: [{ kind: 'fixed' }, { kind: 'fixed' }] });
    await person.press('[data-action=delete-part]');
    expect(JSON.parse(await scene()).bodies).toHaveLength(2);
    for (let i = 0; i < 4; i++) await lab.press('undo').then(() => lab.state());
    expect(await places()).toEqual(before);
  });

  test('chains: a link at the end, a branch, an end that is held, one that hangs on a body', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.tool('link');
    await person.drag([0, 0.4], [0.2, 0.1]);
    await person.drag([0.2, 0.1], [0.4, -0.1]); // at the end
    await person.drag([0.2, 0.1], [0, -0.2]); // from the middle: a branch
    const chains = () => lab.page.evaluate(() => globalThis.catenaLab.store.description.value!.chains.map(({ parent }) => parent));
    expect(await chains()).toEqual([[-1, 0, 0]]);
    await person.choose('drawing');
    await person.tool('link');
    await person.drag([-0.3, 0.4], [-0.1, 0.1]);
    await person.drag([-0.1, 0.1], [0.2, 0.2]);
    await person.press('[data-action=hold-end]');
    expect(JSON.parse(await scene()).chain.end).toEqual([0.2, 0, 0.2]);
    await person.tool('link');
    await person.drag([0.2, 0.2], [0.4, 0]); // a held end takes no more
    expect(await refusal()).not.toBeNull();
    await person.tool('box');
    await person.tap([0.6, 0.4]);
    await person.tool('link');
    await person.drag([0.6, 0.4], [0.6, 0]);
    expect(JSON.parse(await scene()).chains[1].pivot).toBe('box1');
    await runsElsewhere(lab, 'chains');
  });

  test('every tool draws something that the engine takes and that is seen', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    const tools = await lab.page.locator('.palette [data-tool]').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.tool!));
    const kinds = await lab.page.evaluate(() => globalThis.catenaLab.store.info.value!.joints.map(({ name }) => name));
    expect(tools.filter((name) => name.startsWith('joint:')).map((name) => name.slice(6))).toEqual(kinds); // those of `catena list joints`
    for (const tool of tools.filter((name) => !['select', 'curve', 'centre'].includes(name))) {
      await person.choose('drawing');
      const tie = ['joint:gear', 'joint:rack'].includes(tool);
      if (tie) {
        await person.tool('wheel');
        await person.drag([-0.2, 0], [0, 0]);
        await person.drag([0.3, 0], [0.6, 0]);
        await person.tool('ground');
        await person.tap([-0.2, 0]);
        if (tool === 'joint:gear') await person.tap([0.3, 0]);
        else {
          await person.tool('joint:prismatic');
          await person.tap([0.3, 0]);
        }
      } else if (tool !== 'bar') {
        await person.tool('box');
        await person.tap([0, 0.2]);
      }
      const before = JSON.parse(await scene());
      await person.tool(tool);
      if (tie) {
        await person.tap([-0.2, 0]);
        await person.tap([0.3, 0]);
      } else if (['spring', 'damper', 'rope', 'chain', 'link', 'joint:distance'].includes(tool)) await person.drag([0, 0.2], [0.5, -0.2]);
      else if (['bar', 'plate', 'wheel', 'box', 'point'].includes(tool)) await person.drag([-0.4, -0.4], [0.1, -0.2]);
      else await person.tap([0, 0.2]);
      expect(await lab.page.evaluate(() => globalThis.catenaLab.builder.refusal.value), tool).toBeNull();
      const after = JSON.parse(await scene());
      const count = (doc: Record<string, unknown[]>) => ['bodies', 'joints', 'forces', 'chains'].reduce((sum, list) => sum + (doc[list]?.length ?? 0), doc.chain ? 1 : 0);
      expect(count(after), tool).toBeGreaterThan(tool === 'bar' ? 0 : count(before));
      await lab.step(12);
      expect((await lab.state()).tick, tool).toBe(12);
      expect(Math.abs(await lab.value('energy_error')), tool).toBeLessThan(1e-8);
    }
  });

  test('copies, mirrors and deletes what is selected', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.drag([-0.5, 0], [-0.2, 0.3]);
    await person.press('[data-action=mirror-part]');
    const { bodies } = JSON.parse(await scene());
    expect(bodies).toHaveLength(2);
    expect(bodies[1].position[0]).toBeCloseTo(-0.05, 9);
    await person.press('[data-action=copy-part]');
    expect(JSON.parse(await scene()).bodies).toHaveLength(3);
    await person.press('[data-action=delete-part]');
    expect(JSON.parse(await scene()).bodies).toHaveLength(2);
    await lab.page.keyboard.press('Control+z');
    await lab.state();
    expect(JSON.parse(await scene()).bodies).toHaveLength(3);
  });

  test('has mass centres to drag: the bar keeps its ends and gets a weight', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.drag([-0.4, 0], [0.4, 0]);
    await person.tool('centre');
    expect(await lab.page.locator('.board .centre').count()).toBe(1);
    await person.drag([0, 0], [0.1, 0]);
    const [body] = JSON.parse(await scene()).bodies;
    expect(body).toMatchObject({ shape: 'compound', position: [0.1, 0, 0] });
    expect(body.parts).toMatchObject([{ shape: 'rod', length: 0.8, mass: 0.4 }, { shape: 'sphere', mass: 0.4, position: [0.2, 0, 0] }]);
    await lab.type('centre-x', 0.05);
    await lab.state();
    expect(JSON.parse(await scene()).bodies[0].position).toEqual([0.05, 0, 0]);
    await lab.press('undo');
    await lab.press('undo');
    await lab.state();
    expect(JSON.parse(await scene()).bodies[0]).toMatchObject({ shape: 'rod', position: [0, 0, 0] });
  });

  test('goes out of the plane: from the side, and from one plane to another', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await person.drag([-0.4, 0], [0, 0]);
    await lab.type('plane-at', 0.3);
    await person.tool('bar');
    await lab.page.evaluate(() => ((document.querySelector('.by-numbers') as HTMLDetailsElement).open = true));
    await lab.page.fill('[data-control=places]', '0, 0, 0.4, 0.2');
    await person.press('[data-action=draw-numbers]');
    await lab.state();
    expect(JSON.parse(await scene()).bodies[1].position).toEqual([0.2, 0.3, 0.1]);
    await person.press('[data-action=plane-side]');
    expect(await lab.page.evaluate(() => globalThis.catenaLab.store.mode.value)).toBe('3d');
    await lab.page.fill('[data-control=places]', '0, 0, 0.3, 0.4');
    await person.press('[data-action=draw-numbers]');
    await lab.state();
    const { bodies } = JSON.parse(await scene());
    expect(bodies[2].position).toEqual([0, 0.15, 0.2]);
    expect(bodies[2].length).toBeCloseTo(0.5, 12);
    // By hand, from the end of the first bar to that of the second: from one plane to another.
    const spot = (at: [number, number, number]) => lab.page.evaluate((place) => globalThis.catenaLab.view.seenAt(place), at);
    await lab.drawn();
    const box = (await lab.page.locator('.picture').boundingBox())!;
    const [from, to] = [await spot([-0.4, 0, 0]), await spot([0.4, 0.3, 0.2])];
    await lab.page.mouse.move(box.x + from.x, box.y + from.y);
    await lab.page.mouse.down();
    await lab.page.mouse.move(box.x + to.x, box.y + to.y, { steps: 4 });
    await lab.page.mouse.up();
    await lab.drawn();
    const drawn = JSON.parse(await scene());
    expect(drawn.bodies).toHaveLength(4);
    drawn.bodies[3].position.forEach((c: number, i: number) => expect(c).toBeCloseTo([0, 0.15, 0.1][i]!, 9));
    await runsElsewhere(lab, 'out-of-the-plane');
    await lab.page.evaluate(() => globalThis.catenaLab.actions.setMode('2d'));
  });

  test('is the text beside it, both ways, with what is wrong at its line', async () => {
    await lab.preset('slider-crank');
    await lab.tab('build');
    await lab.page.click('[data-action=open-text]');
    const box = lab.page.locator('[data-control=text]');
    const text = readFileSync(path.join(import.meta.dirname, '../../../../scenes/slider-crank.toml'), 'utf8');
    await box.fill(text);
    await expect.poll(() => lab.page.locator('[data-shows=text-mistakes] li').count()).toBe(0);
    // A mistake at its line, with the scene as it was.
    const before = await scene();
    const line = text.split('\n').findIndex((one) => one.startsWith('mass = 0.6')) + 1;
    await box.fill(text.replace('mass = 0.6', 'mass = -0.6'));
    await expect.poll(() => lab.page.textContent('[data-shows=text-mistakes]')).toMatch(new RegExp(`line ${line}:.*mass`));
    expect(await scene()).toBe(before);
    await picture(lab, 'text');
    await box.fill(text.replace('mass = 0.6', 'mass = 0.7 # heavier'));
    await expect.poll(async () => JSON.parse(await scene()).bodies[1].mass).toBe(0.7);
    // What is drawn comes into the text, and remarks stay.
    const person = await new Person(lab, false).ready();
    await person.tool('point');
    await person.tap([0.5, -0.3]);
    await expect.poll(() => box.inputValue()).toContain('shape = "point"');
    expect(await box.inputValue()).toContain('# heavier');
    expect(await box.inputValue()).toContain('# A slider-crank');
    expect(lab.problems).toEqual([]);
  });

  test('is made by keyboard as well', async () => {
    const person = await new Person(lab, false).ready();
    await person.choose('drawing');
    await lab.page.click('.by-numbers summary');
    await lab.page.fill('[data-control=places]', '0 0 0.3 0.3');
    await lab.page.focus('[data-action=draw-numbers]');
    await lab.page.keyboard.press('Enter');
    await lab.state();
    expect(JSON.parse(await scene()).bodies[0].length).toBeCloseTo(0.3 * Math.SQRT2, 9);
  });
});
