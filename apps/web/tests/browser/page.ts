// A real browser on the page as `catena lab` serves it.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { catena } from '../support';

export const chromiumPath = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));

// ms for what a page is to do: limits are for what never comes, however busy the machine is.
const patience = 250_000;

async function startBrowser(): Promise<Browser> {
  return chromium.launch({ timeout: patience, executablePath: chromiumPath!, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
}

export interface Server {
  address: string;
  stop(): void;
}

export function startServer(...words: string[]): Promise<Server> {
  const child: ChildProcess = spawn(catena, ['lab', '--no-open', ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`catena lab ended with ${code}`)));
    child.stdout!.once('data', (data: Buffer) => resolve({ address: data.toString().trim(), stop: () => child.kill('SIGINT') }));
  });
}

// What the engine says, read through the page's own handle.
export interface State {
  tick: number;
  end: number;
  t: number;
  row: number[];
  names: string[];
  ghostNames: string[];
  bodies: { name: string; fixed: boolean }[];
  chains: { elastic: boolean; planar: boolean; length: number[]; mass: number[]; stiffness: number[] }[];
  scene: { simulation: Record<string, unknown>; chain: Record<string, unknown> & { links: Record<string, unknown>[] }; forces?: Record<string, unknown>[] };
  method: string;
  running: boolean;
}

declare global {
  // eslint-disable-next-line no-var
  var catenaLab: {
    lab: import('../../src/lab/lab').Lab;
    view: import('../../src/view/view').View;
    store: typeof import('../../src/store');
    actions: typeof import('../../src/actions');
    client: import('../../src/engine/client').EngineClient;
    plots: typeof import('../../src/plots/panels');
    charts: Map<number, import('../../src/plots/draw').Chart>;
    builder: typeof import('../../src/build/builder');
    meters: typeof import('../../src/measure/meters');
    lessons: typeof import('../../src/lessons/lessons');
    compare: typeof import('../../src/compare/twin');
    chaosMap: typeof import('../../src/chaos/map');
    chaosPool: typeof import('../../src/chaos/pool');
    chaosTools: typeof import('../../src/chaos/tools');
  };
}

export class LabPage {
  readonly problems: string[] = [];

  private constructor(readonly page: Page) {
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()) && this.problems.push(message.text()));
    page.on('pageerror', (error) => this.problems.push(String(error)));
  }

  static async open(browser: Browser, address: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<LabPage> {
    // Reduced motion: the chain stands still until a test lets it run.
    const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, reducedMotion: 'reduce', acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'], ...options });
    return LabPage.openIn(context, address);
  }

  static async openIn(context: BrowserContext, address: string): Promise<LabPage> {
    context.setDefaultTimeout(patience);
    const lab = new LabPage(await context.newPage());
    await lab.page.goto(address);
    await lab.page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
    // However busy the machine is, tests ask for what they ask for.
    await lab.page.evaluate(() => (globalThis.catenaLab.store.mayLower.value = false));
    return lab;
  }

  // A chain of the page's own to start a test from.
  async fresh(links: number, elastic = false) {
    await this.page.evaluate(async ([n, soft]) => {
      const { lab: engine, actions } = globalThis.catenaLab;
      await engine.stop();
      await engine.setGhosts([]);
      actions.setMode('2d');
      await engine.newChain({ links: n as number, elastic: soft as boolean, stiffness: 200, gravity: 9.81, damping: 0 });
    }, [links, elastic] as [number, boolean]);
    await this.tab('chain');
  }

  close() {
    return this.page.context().close();
  }

  state(): Promise<State> {
    return this.page.evaluate(async () => {
      const { lab, store } = globalThis.catenaLab;
      await lab.idle();
      const description = store.description.value!;
      const { tick, end } = store.standing.value;
      return JSON.parse(JSON.stringify({ tick, end, t: tick / 120, row: [...lab.row], names: lab.layout.names(), ghostNames: lab.ghostLayout.names(), bodies: description.bodies, chains: description.chains, scene: description.scene, method: description.method, running: store.running.value }));
    });
  }

  async value(name: string): Promise<number> {
    const { row, names } = await this.state();
    return row[names.indexOf(name)]!;
  }

  async tab(name: string) {
    await this.page.click(`[data-tab=${name}]`);
  }

  async type(name: string, value: number) {
    const box = this.page.locator(`[data-typed="${name}"]`);
    await box.fill(String(value));
    await box.press('Enter');
    await box.blur();
  }

  async slide(name: string, value: number) {
    await this.page.locator(`[data-control="${name}"]`).fill(String(value));
  }

  // One of the shipped scenes.
  async preset(name: string) {
    await this.page.evaluate(() => globalThis.catenaLab.lab.stop());
    await this.page.selectOption('[data-control=preset]', name);
    await this.page.waitForFunction((wanted) => globalThis.catenaLab.store.presetName.value === wanted, name);
    await this.tab('chain');
    await this.state();
  }

  // The picture alone, without names, axes and trails.
  async plain() {
    await this.page.evaluate(() => {
      globalThis.catenaLab.actions.setNotes({ names: false, axes: false });
      globalThis.catenaLab.actions.setTrace(false);
      globalThis.catenaLab.store.showFields.value = false;
    });
    await this.drawn();
  }

  // Pixels of the picture around a place on it, r g b a: what is seen, not what was computed. The background is
  // transparent.
  async pixels(x: number, y: number, reach: number): Promise<[number, number, number, number][]> {
    await this.drawn();
    const flat = await this.page.evaluate(([left, top, size]) => {
      const { canvas } = globalThis.catenaLab.view;
      const scale = canvas.width / canvas.clientWidth;
      const copy = document.createElement('canvas');
      copy.width = copy.height = Math.max(1, Math.round(size! * scale));
      const pen = copy.getContext('2d')!;
      pen.drawImage(canvas, Math.round(left! * scale), Math.round(top! * scale), copy.width, copy.height, 0, 0, copy.width, copy.height);
      return [...pen.getImageData(0, 0, copy.width, copy.height).data];
    }, [x - reach, y - reach, 2 * reach + 1]);
    return Array.from({ length: flat.length / 4 }, (_, i) => flat.slice(4 * i, 4 * i + 4) as [number, number, number, number]);
  }

  // Whether something is drawn there, for many places at once.
  async drawnAt(places: { x: number; y: number }[], reach = 3): Promise<boolean[]> {
    await this.drawn();
    return this.page.evaluate(([wanted, around]) => {
      const { canvas } = globalThis.catenaLab.view;
      const scale = canvas.width / canvas.clientWidth;
      const copy = document.createElement('canvas');
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const pen = copy.getContext('2d')!;
      pen.drawImage(canvas, 0, 0);
      const { data } = pen.getImageData(0, 0, copy.width, copy.height);
      const isDrawn = (x: number, y: number) => x >= 0 && y >= 0 && x < copy.width && y < copy.height && data[4 * (y * copy.width + x) + 3]! > 40;
      return wanted.map(({ x, y }) => {
        const [left, top] = [Math.round(x * scale), Math.round(y * scale)];
        for (let dx = -around; dx <= around; dx++) for (let dy = -around; dy <= around; dy++) if (isDrawn(left + dx, top + dy)) return true;
        return false;
      });
    }, [places, reach] as const);
  }

  async isDrawnAt(place: { x: number; y: number }, reach = 3): Promise<boolean> {
    return (await this.drawnAt([place], reach))[0]!;
  }

  // Where a point of the world is on the picture.
  seen(point: [number, number, number]): Promise<{ x: number; y: number }> {
    return this.page.evaluate((place) => globalThis.catenaLab.view.seenAt(place), point);
  }

  // A scene of a test's own.
  async load(text: string, name = 'test') {
    await this.page.evaluate(async ([scene, called]) => {
      const { lab: engine, actions } = globalThis.catenaLab;
      await engine.stop();
      await engine.load(scene!, called!);
      actions.lookAtScene();
    }, [text, name]);
    await this.state();
    await this.drawn();
  }

  step(ticks: number) {
    return this.page.evaluate((n) => globalThis.catenaLab.lab.step(n), ticks);
  }

  // A link to this moment, as the panel shows it.
  async link(): Promise<string> {
    await this.tab('share');
    await this.press('share');
    return this.page.inputValue('[data-shows=link]');
  }

  // This moment, opened elsewhere by its link: the same bits.
  async openedElsewhere(browser: Browser, options: Parameters<Browser['newPage']>[0] = {}): Promise<{ other: LabPage; state: State; restored: State }> {
    const link = await this.link();
    const state = await this.state();
    const other = await LabPage.open(browser, link, options);
    const restored = await other.state();
    expect(restored.row).toEqual(state.row);
    expect(restored.tick).toBe(state.tick);
    return { other, state, restored };
  }

  // The film of what is done meanwhile.
  async filmed(act: () => Promise<unknown>, stop = 'stop-film'): Promise<{ name: string; bytes: Buffer }> {
    await this.tab('share');
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      (async () => {
        await this.press('film');
        await act();
        await this.press(stop);
      })(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync((await download.path())!) };
  }

  // Files dropped on the page, each of some parts.
  drop(name: string, text: string, times = 1) {
    return this.page.evaluate(([called, content, count]) => {
      const transfer = new DataTransfer();
      const part = new Blob([content as string]);
      transfer.items.add(new File(Array<Blob>(count as number).fill(part), called as string));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [name, text, times]);
  }

  press(action: string) {
    return this.page.click(`[data-action="${action}"]`);
  }

  // What the engine says is on the screen.
  async drawn() {
    await this.page.evaluate(async () => {
      await globalThis.catenaLab.lab.idle();
      for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  }

  // What a plot shows, once the engine has told all of it: the points of its curves.
  async plotted(what: string): Promise<{ title: string; color: string; x: number[]; y: number[] }[]> {
    await this.drawn();
    let before = '';
    for (;;) {
      await this.page.waitForTimeout(300);
      const lines = await this.page.evaluate((wanted) => {
        const { plots, charts } = globalThis.catenaLab;
        const panel = plots.panels.value.find((one) => one.what === wanted);
        const chart = panel && charts.get(panel.id);
        return (chart?.lines ?? []).map(({ title, color, x, y }) => ({ title, color, x: Array.from(x), y: Array.from(y) }));
      }, what);
      const now = JSON.stringify(lines);
      if (now === before) return lines;
      before = now;
    }
  }

  // Runs in real time, then goes to the tick asked for: how far a busy machine ran beyond it does not matter.
  async runFor(seconds: number) {
    const wanted = (await this.state()).tick + Math.round(120 * seconds);
    await this.page.evaluate(() => globalThis.catenaLab.lab.run());
    await this.page.waitForFunction((tick) => globalThis.catenaLab.store.standing.value.tick >= tick, wanted);
    await this.page.evaluate(async (tick) => {
      await globalThis.catenaLab.lab.stop();
      await globalThis.catenaLab.lab.go(tick);
    }, wanted);
  }

  // Drags a bob by mouse from where it is seen to a point relative to the picture's middle, in parts of its height.
  async drag(index: number, dx: number, dy: number) {
    await this.drawn();
    const box = (await this.page.locator('.picture').boundingBox())!;
    const from = await this.page.evaluate((i) => globalThis.catenaLab.view.screenOf(i), index);
    const to = { x: box.x + box.width / 2 + dx * box.height, y: box.y + box.height / 2 + dy * box.height };
    await this.page.mouse.move(box.x + from.x, box.y + from.y);
    await this.page.mouse.down();
    await this.page.mouse.move(to.x, to.y, { steps: 4 });
    const target = await this.page.evaluate(([x, y, i]) => globalThis.catenaLab.view.under(x!, y!, globalThis.catenaLab.view.placeOf(i!)), [to.x - box.x, to.y - box.y, index]);
    return { target, release: () => this.page.mouse.up() };
  }
}

// A slider that moves every 16 ms for some seconds: simulated over wall time, and how many changes reached the engine.
export function storm(control: string, values: [number, number], seconds: number): Promise<{ ratio: number; events: number }> {
  return lab.page.evaluate(async ([name, low, high, duration]) => {
    const { lab: engine, store } = globalThis.catenaLab;
    const slider = document.querySelector<HTMLInputElement>(`[data-control="${name}"]`)!;
    const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
    engine.run();
    await new Promise((resolve) => setTimeout(resolve, 600));
    const [from, start] = [store.standing.value.tick, performance.now()];
    let events = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const elapsed = (performance.now() - start) / 1000;
        put.call(slider, String(low + (high - low) * (0.5 + 0.5 * Math.sin(7 * elapsed))));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        events++;
        if (elapsed < duration || events < 100) return;
        clearInterval(timer);
        resolve();
      }, 16);
    });
    const ratio = (store.standing.value.tick - from) / 120 / ((performance.now() - start) / 1000);
    slider.dispatchEvent(new Event('change', { bubbles: true }));
    await engine.stop();
    return { ratio, events };
  }, [control, values[0], values[1], seconds] as [string, number, number, number]);
}

// What the tests of a file share, once withLab() has opened it.
export let browser: Browser;
export let server: Server;
export let lab: LabPage;

// A browser and a page for all tests of a file; each of them leaves nothing in the console.
export function withLab() {
  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), startServer()]);
    lab = await LabPage.open(browser, server.address);
  });
  afterAll(async () => {
    await browser?.close();
    server?.stop();
  });
  afterEach(() => {
    expect(lab.problems).toEqual([]);
  });
}

// Matroska's mark, or a file type box: WebM or MP4.
export function isFilm(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12));
  return start.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3])) || start.subarray(4, 8).toString() === 'ftyp';
}
