// Lessons from beginning to end, in both languages, and the instruments that they use.
import { describe, expect, test } from 'vitest';
import path from 'node:path';
import { browser, lab, LabPage, server, withLab } from './page';

withLab();

const pictures = process.env.CATENA_PICTURES;
const picture = async (page: LabPage, name: string) => pictures && page.page.screenshot({ path: path.join(pictures, `${name}.png`) });

// Does what a task asks for, as a person would.
async function doTask(page: LabPage, check: string, index: number) {
  const [what, sign, value] = check.split(/\s+/) as [string, string, string];
  if (what === 'answer') {
    // What the meters show, read as a person reads them.
    await page.tab('measure');
    await page.page.evaluate(() => globalThis.catenaLab.meters.readMeters());
    const shown = await page.page.textContent('[data-shows=period]');
    await page.type(`answer-${index + 1}`, /^\d/.test(shown ?? '') && Number(sign) < 5 ? Number(Number.parseFloat(shown!).toFixed(2)) : Number(sign));
    return;
  }
  if (what === 'time') return page.step(Math.max(0, Math.ceil(Number(value) * 120) + 30 - (await page.state()).tick));
  if (what === 'panel') return page.tab(value);
  if (what === 'ghosts') return page.page.keyboard.press('g');
  if (what === 'gravity') {
    await page.tab('measure');
    return page.page.selectOption('[data-control=world]', 'jupiter');
  }
  if (what === 'damping') {
    await page.tab('chain');
    return page.type('damping', 0.4);
  }
  if (what === 'method') {
    await page.tab('engine');
    return page.page.selectOption('[data-control=method]', value);
  }
  if (what === 'energy-error' || (what === 'divergence' && sign === '>')) {
    for (let i = 0; i < 60 && !(await isDone(page, index)); i++) {
      await page.step(120);
      await page.page.waitForTimeout(300);
    }
  }
}

const isDone = async (page: LabPage, index: number) => (await page.page.getAttribute(`[data-task="${index + 1}"]`, 'data-done')) === 'yes';

describe.each(['en', 'ja'])('lessons in %s', (language) => {
  test.each(['period', 'energy', 'chaos'])('%s, from beginning to end', async (name) => {
    const page = await LabPage.open(browser, server.address);
    await page.page.selectOption('[data-control=language]', language);
    const before = (await page.state()).scene;
    await page.tab('learn');
    await page.press(`lesson-${name}`);
    const steps = await page.page.evaluate((which) => globalThis.catenaLab.lessons.lessonOf(which).steps, name);
    expect(steps.length).toBeGreaterThanOrEqual(3);
    for (const [at, step] of steps.entries()) {
      await page.page.waitForFunction((title) => document.querySelector('[data-shows=lesson] h2')?.textContent === title, step.title);
      await page.state();
      for (const [index, { check }] of step.tasks.entries()) {
        await doTask(page, check, index);
        await expect.poll(() => isDone(page, index), { message: `${name}, ${step.title}: ${check}` }).toBe(true);
      }
      await picture(page, `lesson-${name}-${language}-${at + 1}`);
      await page.press(at < steps.length - 1 ? 'lesson-next' : 'lesson-end');
    }
    await page.page.waitForSelector('[data-shows=lesson]', { state: 'detached' });
    // The work of before is back.
    await expect.poll(async () => JSON.stringify((await page.state()).scene)).toBe(JSON.stringify(before));
    expect(page.problems).toEqual([]);
    await page.close();
  });
});

describe('instruments', () => {
  test('the period of a pendulum is the elliptic integral\'s, and a photogate tells its passages', async () => {
    await lab.load('[simulation]\nduration = 60\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "150 deg"\n');
    await lab.step(1200);
    await lab.tab('measure');
    await lab.page.evaluate(() => globalThis.catenaLab.meters.readMeters());
    // T = 4 sqrt(L/g) K(sin(75 deg)), K by the arithmetic-geometric mean.
    let [a, b] = [1, Math.cos((75 * Math.PI) / 180)];
    for (let i = 0; i < 8; i++) [a, b] = [(a + b) / 2, Math.sqrt(a * b)];
    const period = (2 * Math.PI * Math.sqrt(1 / 9.81)) / a;
    const swing = await lab.page.evaluate(() => globalThis.catenaLab.meters.swing.value!);
    expect(Math.abs(swing.period - period)).toBeLessThan(1e-6); // of the cubic between rows
    await expect.poll(() => lab.page.textContent('[data-shows=period]')).toBe(`${period.toFixed(6)} s`);
    await lab.page.click('[data-control=gate]');
    await expect.poll(() => lab.page.textContent('[data-shows=gate]')).toMatch(/^\d+ passages/);
    const times = () => lab.page.evaluate(() => globalThis.catenaLab.meters.passed.value);
    await expect.poll(async () => (await times()).length).toBe(Math.floor((10 - period / 4) / (period / 2)) + 1);
    const passed = await times();
    expect(Math.abs(passed[0]!.t - period / 4)).toBeLessThan(1e-6);
    await lab.press('write-gate');
    await lab.state();
    expect(await lab.page.evaluate(() => JSON.stringify(globalThis.catenaLab.store.scene.value.events))).toContain('photogate');
    await picture(lab, 'measure');
  });

  test('ruler and protractor measure what they are laid on', async () => {
    await lab.fresh(2);
    await lab.tab('measure');
    await lab.page.click('[data-control=ruler]');
    await lab.page.click('[data-control=protractor]');
    const lay = async (end: string, index: number) => {
      const handle = (await lab.page.locator(`[data-tool-end="${end}"]`).boundingBox())!;
      const box = (await lab.page.locator('.picture').boundingBox())!;
      const to = index < 0 ? await lab.seen([0, 0, 0]) : await lab.page.evaluate((i) => globalThis.catenaLab.view.screenOf(i), index);
      await lab.page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
      await lab.page.mouse.down();
      await lab.page.mouse.move(box.x + to.x, box.y + to.y, { steps: 3 });
      await lab.page.mouse.up();
      await lab.drawn();
    };
    await lay('ruler 1', -1);
    await lay('ruler 2', 0);
    expect(Number.parseFloat((await lab.page.textContent('[data-shows=ruler]'))!)).toBeCloseTo(1, 1);
    await picture(lab, 'ruler');
    await lab.page.click('[data-control=ruler]');
    await lab.page.click('[data-control=protractor]');
  });

  test('the protractor tells the angle that a pendulum was let go at, by mouse and by keys', async () => {
    await lab.load('[simulation]\nduration = 20\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "50 deg"\n');
    await lab.tab('measure');
    await lab.page.click('[data-control=protractor]');
    const box = (await lab.page.locator('.picture').boundingBox())!;
    const put = async (end: string, at: [number, number, number]) => {
      const handle = (await lab.page.locator(`[data-tool-end="${end}"]`).boundingBox())!;
      const to = await lab.seen(at);
      await lab.page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
      await lab.page.mouse.down();
      await lab.page.mouse.move(box.x + to.x, box.y + to.y, { steps: 3 });
      await lab.page.mouse.up();
      await lab.drawn();
    };
    await put('protractor 1', [0, 0, -0.8]);
    await put('protractor 2', [0, 0, 0]);
    await put('protractor 3', [0.8 * Math.sin(0.8727), 0, -0.8 * Math.cos(0.8727)]);
    const angle = async () => Number.parseFloat((await lab.page.textContent('[data-shows=protractor]'))!);
    expect(Math.abs((await angle()) - 50)).toBeLessThan(0.5);
    await lab.page.focus('[data-tool-end="protractor 3"]');
    for (let i = 0; i < 5; i++) await lab.page.keyboard.press('ArrowUp');
    await lab.drawn();
    expect(await angle()).toBeGreaterThan(50.5);
    expect(await lab.page.getAttribute('[data-tool-end="protractor 3"]', 'aria-valuetext')).toBe(await lab.page.textContent('[data-shows=protractor]'));
    await lab.page.click('[data-control=protractor]');
  });

  test('the stopwatch counts the time of the motion, not of the wall', async () => {
    await lab.fresh(1);
    await lab.tab('measure');
    const shown = async () => Number.parseFloat((await lab.page.textContent('[data-shows=stopwatch]'))!);
    await lab.step(60);
    await lab.page.waitForTimeout(250); // numbers are shown ten times a second
    await lab.press('stopwatch');
    await lab.page.waitForTimeout(500);
    expect(await shown()).toBe(0); // it stands still
    await lab.step(90);
    await expect.poll(shown).toBeCloseTo(0.75, 2);
    await lab.press('stopwatch');
    await lab.step(60);
    await lab.page.waitForTimeout(250);
    expect(await shown()).toBeCloseTo(0.75, 2);
    await lab.press('stopwatch-zero');
    expect(await shown()).toBe(0);
  });

  test('energy bars are as long as the energies, and their sum stays', async () => {
    await lab.load('[simulation]\nduration = 20\n[chain]\nvelocity_damping = 0.4\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "90 deg"\n');
    await lab.tab('measure');
    const bars = () => lab.page.evaluate(() => Object.fromEntries([...document.querySelectorAll<HTMLElement>('[data-energy]')].map((one) => [one.dataset.energy!, { value: Number(one.dataset.value), width: one.getBoundingClientRect().width, room: one.parentElement!.getBoundingClientRect().width }])));
    const sums: number[] = [];
    for (const ticks of [0, 60, 60, 120]) {
      await lab.step(ticks);
      const wanted = { kinetic: await lab.value('kinetic'), dissipated: await lab.value('dissipated') };
      await expect.poll(async () => Math.abs((await bars()).kinetic!.value - wanted.kinetic)).toBeLessThan(1e-6);
      const seen = await bars();
      expect(seen.dissipated!.value).toBeCloseTo(wanted.dissipated, 6);
      // Widths go as values.
      const scale = (name: string) => seen[name]!.width / seen[name]!.value;
      if (wanted.kinetic > 0.5 && wanted.dissipated > 0.5) expect(scale('kinetic') / scale('dissipated')).toBeCloseTo(1, 1);
      sums.push(Object.values(seen).reduce((sum, { value }) => sum + value, 0));
    }
    for (const sum of sums) expect(sum).toBeCloseTo(sums[0]!, 6);
    await picture(lab, 'energy-bars');
  });

  test('on other worlds a small swing takes the root of the ratio of gravities as long', async () => {
    const swing = (g: string) => `[simulation]\nduration = 60\n${g}[[chain.links]]\nlength = 1\nmass = 1\ntheta = "2 deg"\n`;
    await lab.load(swing(''));
    await lab.tab('measure');
    const period = async () => {
      await lab.step(1500);
      await lab.page.evaluate(() => globalThis.catenaLab.meters.readMeters());
      return (await lab.page.evaluate(() => globalThis.catenaLab.meters.swing.value!)).period;
    };
    const worlds = await lab.page.locator('[data-control=world] option').evaluateAll((options) => options.map((option) => ({ name: (option as HTMLOptionElement).value, text: option.textContent! })));
    expect(worlds.map(({ name }) => name).sort()).toEqual(['earth', 'jupiter', 'mars', 'mercury', 'moon', 'neptune', 'saturn', 'uranus', 'venus']);
    for (const name of ['moon', 'jupiter', 'earth']) {
      await lab.load(swing(''));
      await lab.tab('measure');
      await lab.page.selectOption('[data-control=world]', name);
      const g = Number(/([\d.]+) m/.exec(worlds.find((one) => one.name === name)!.text)![1]);
      expect((await lab.state()).scene.simulation.gravity ?? 9.81).toBe(g);
      // 2 pi sqrt(l/g) (1 + theta^2/16).
      expect(await period(), name).toBeCloseTo(2 * Math.PI * Math.sqrt(1 / g) * (1 + (Math.PI / 90) ** 2 / 16), 5);
    }
    // Gravity that is not along z keeps its other components.
    await lab.load(swing('gravity = [1, 0, -9.81]\n'));
    await lab.tab('measure');
    await lab.page.selectOption('[data-control=world]', 'moon');
    expect((await lab.state()).scene.simulation.gravity).toEqual([1, 0, -1.62]);
  });

  test('the presenter sees the stage and its plots alone', async () => {
    await lab.page.locator('.picture').focus();
    await lab.page.keyboard.press('p');
    expect(await lab.page.isVisible('header')).toBe(false);
    expect(await lab.page.isVisible('.side')).toBe(false);
    expect(await lab.page.isVisible('.picture')).toBe(true);
    await picture(lab, 'presenter');
    await lab.page.keyboard.press('Escape');
    expect(await lab.page.isVisible('header')).toBe(true);
  });
});
