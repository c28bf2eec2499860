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
