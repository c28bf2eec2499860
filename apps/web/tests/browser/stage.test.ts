// What there is, is seen: pixels and texts of the stage.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../paths.ts';
import { lab, withLab } from './page';

withLab();

const scenes = readdirSync(path.join(root, 'scenes')).filter((name) => name.endsWith('.toml')).map((name) => name.replace('.toml', ''));
const texts = () => lab.page.evaluate(() => globalThis.catenaLab.view.labels.texts);
const stage = async () => (await lab.page.locator('.picture').boundingBox())!;

async function showArrows(...kinds: string[]) {
  await lab.page.evaluate((wanted) => (globalThis.catenaLab.store.arrows.value = wanted as never), kinds);
}

// Parts of the colours' differences that two colours share: 1 for the same hue, however dark.
function likeness([r, g, b]: number[], hex: string): number {
  const other = [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));
  const own = [r!, g!, b!];
  const [a, c] = [own, other].map((color) => color.map((x) => x - Math.min(...color)));
  return a!.reduce((sum, x, i) => sum + x * c![i]!, 0) / ((Math.hypot(...a!) * Math.hypot(...c!)) || 1);
}

describe('everything is drawn', () => {
  test('of every shipped scene, each bob and body, inside the picture', async () => {
    await lab.plain();
    for (const name of scenes) {
      await lab.preset(name);
      await lab.drawn();
      const { width, height } = await stage();
      const places = await lab.page.evaluate(() => {
        const { view, store } = globalThis.catenaLab;
        const links = view.linkCount;
        const { bodies, coordinates } = store.description.value!;
        const things = [...Array(links).keys(), ...[...bodies, ...(coordinates.length ? [0] : [])].map((_, i) => links + i)];
        return things.filter((_, i) => things.length < 40 || i % 37 === 0).map((thing) => view.screenOf(thing));
      });
      for (const place of places) {
        expect(place.x, name).toBeGreaterThan(0);
        expect(place.x, name).toBeLessThan(width);
        expect(place.y, name).toBeGreaterThan(0);
        expect(place.y, name).toBeLessThan(height);
      }
      const drawn = await lab.drawnAt(places, 12);
      expect(places.filter((_, i) => !drawn[i]), name).toEqual([]);
    }
  });

  test('compounds with all their parts: flyballs of the governor, frames of the gyroscope', async () => {
    await lab.plain();
    await lab.preset('governor');
    const drawing = await lab.page.evaluate(() => globalThis.catenaLab.store.description.value!.drawing);
    for (const name of ['left', 'right']) {
      const body = drawing.bodies.find((one) => one.name === name)!;
      const ball = body.shapes.find(({ shape }) => shape === 'sphere')!;
      // Turned by 135 or 45 degrees about y: x of the body points down and outwards.
      const way = Math.sin(Math.PI / 4) * ball.position[0];
      const at = await lab.seen([body.position[0] + (name === 'left' ? -way : way), 0, body.position[2] - way]);
      expect(await lab.isDrawnAt(at, 1), name).toBe(true);
      const index = drawing.bodies.indexOf(body);
      const color = await lab.page.evaluate((i) => `#${globalThis.catenaLab.view['solids'].colorOf(i).getHexString()}`, index);
      expect(likeness((await lab.pixels(at.x, at.y, 0))[0]!, color)).toBeGreaterThan(0.95);
    }
    await lab.preset('gyroscope');
    for (const corner of [[0.16, 0.16, 0], [-0.16, 0.16, 0], [0, 0.13, 0.13], [0, -0.13, -0.13]] as const) {
      expect(await lab.isDrawnAt(await lab.seen([...corner]), 4), String(corner)).toBe(true);
    }
  });

  test('bodies by their meshes', async () => {
    await lab.plain();
    // A tetrahedron with a far tip, given by mass and inertia: drawn where its points say.
    await lab.load('[simulation]\nduration = 5\ngravity = 0\n[[bodies]]\nname = "kite"\nshape = "mesh"\nmass = 1\ninertia = [1, 1, 1]\nvertices = [[0, 0, 0], [1, 0, 0], [0, 0.2, 0], [0, 0, 2]]\ntriangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]\n');
    expect(await lab.isDrawnAt(await lab.seen([0.01, 0.02, 1.85]), 3)).toBe(true);
    expect(await lab.isDrawnAt(await lab.seen([0.9, 0, 1.7]), 3)).toBe(false);
  });

  test('springs, dampers, rods and the ground', async () => {
    await lab.plain();
    await lab.preset('seven-body');
    // The spring from the ground to a body, half way; nothing beside it.
    const [from, to] = await lab.page.evaluate(() => {
      const { view, store } = globalThis.catenaLab;
      const [spring] = store.description.value!.drawing.springs;
      const body = store.description.value!.bodies.findIndex(({ name }) => name === spring!.bodies[1]);
      return [view.seenAt(spring!.anchors[0]), view.seenAt(view['solids'].worldPoint(body, spring!.anchors[1]).toArray())];
    });
    const middle = { x: (from!.x + to!.x) / 2, y: (from!.y + to!.y) / 2 };
    expect(await lab.isDrawnAt(middle, 9)).toBe(true);
    expect(await lab.isDrawnAt({ x: middle.x + 60, y: middle.y - 10 }, 9)).toBe(false);
    expect(await lab.isDrawnAt({ x: from!.x, y: from!.y + 18 }, 12)).toBe(true); // hatched ground
    await lab.preset('governor');
    const rod = await lab.page.evaluate(() => globalThis.catenaLab.view['ties'].count);
    expect(rod).toBe(2);
    await lab.load('[simulation]\nduration = 5\n[[bodies]]\nname = "block"\nshape = "box"\nsize = [0.2, 0.2, 0.2]\nmass = 1\nposition = [0, 0, -1]\n[[forces]]\nkind = "spring"\nbetween = [[0, 0, 1], "block"]\ndamping = 2\n');
    expect(await lab.isDrawnAt(await lab.seen([0, 0, 0.05]), 3)).toBe(true); // the damper's cylinder
  });

  test('ropes: straight while they are taut, in a bow while they are slack', async () => {
    await lab.plain();
    // Upright above its pivot a rope holds nothing: the bob falls, and the rope of 1 m is between ends 1 - g t^2/2 apart.
    const rope = (angle: string) => `[simulation]\nduration = 5\n[chain]\nkind = "elastic"\nslack = true\n[[chain.links]]\nlength = 1\nmass = 1\nstiffness = 5000\ntheta = "${angle}"\n`;
    await lab.load(rope('180 deg'));
    await lab.step(36);
    const height = await lab.value('z_1');
    expect(height).toBeCloseTo(1 - (9.81 * 0.09) / 2, 6);
    const middle = [0, 0, height / 2] as [number, number, number];
    expect(await lab.isDrawnAt(await lab.seen(middle), 3)).toBe(false);
    // A parabola of length 1 between ends so far apart; its sag from sag = span a/4, length = span/2 (sqrt(1 + a^2) + asinh(a)/a).
    let a = 1;
    for (let i = 0; i < 60; i++) a *= 1 / ((height / 2) * (Math.sqrt(1 + a * a) + Math.asinh(a) / a));
    expect(await lab.isDrawnAt(await lab.seen([(height * a) / 4, 0, height / 2]), 3)).toBe(true);
    // Hanging it is straight.
    await lab.load(rope('0 deg'));
    await lab.step(2);
    for (const part of [0.3, 0.5, 0.7]) expect(await lab.isDrawnAt(await lab.seen([0, 0, -part]), 1), String(part)).toBe(true);
    expect(await lab.isDrawnAt(await lab.seen([0.1, 0, -0.5]), 3)).toBe(false);
    // Each piece of the shipped rope is there.
    await lab.preset('rope');
    const places = await lab.page.evaluate(() => [...Array(12).keys()].map((link) => globalThis.catenaLab.view.screenOf(link)));
    const between = places.slice(1).map(({ x, y }, i) => ({ x: (x + places[i]!.x) / 2, y: (y + places[i]!.y) / 2 }));
    expect(await lab.drawnAt(between, 3)).toEqual(between.map(() => true));
  });

  test('gears have teeth that mesh', async () => {
    await lab.plain();
    const wheel = (name: string, x: number) => `[[bodies]]\nname = "${name}"\nshape = "cylinder"\nradius = 0.1\nlength = 0.05\nmass = 1\nposition = [${x}, 0, 0]\norientation = { axis = [1, 0, 0], angle = "90 deg" }\n`;
    const hinge = (name: string, x: number) => `[[joints]]\nname = "turn-${name}"\nkind = "revolute"\nbodies = ["ground", "${name}"]\npoint = [${x}, 0, 0]\naxis = [0, 1, 0]\n`;
    await lab.load(`[simulation]\nduration = 5\n${wheel('one', 0)}${wheel('two', 1.5)}${hinge('one', 0)}${hinge('two', 1.5)}[[joints]]\nname = "mesh"\nkind = "gear"\njoints = ["turn-one", "turn-two"]\nratio = -0.5\n`);
    // Radii 0.5 and 1; the smaller one has 16 teeth. Half a module above the pitch circle, teeth and gaps alternate.
    const places = await lab.page.evaluate(() => {
      const angles = Array.from({ length: 360 }, (_, i) => (i / 360) * 2 * Math.PI).filter((angle) => Math.cos(angle) < 0.9); // beyond, the other wheel is there
      const r = 0.5 + 0.4 * (1 / 16);
      return angles.map((angle) => globalThis.catenaLab.view.seenAt([r * Math.cos(angle), 0, r * Math.sin(angle)]));
    });
    const around = await lab.drawnAt(places, 0);
    const changes = around.filter((drawn, i) => i > 0 && drawn !== around[i - 1]).length;
    expect(changes).toBeGreaterThan(20);
    expect(changes).toBeLessThan(34);
  });

  test('magnets, charges and fields, with their values', async () => {
    await lab.page.evaluate(() => (globalThis.catenaLab.store.showFields.value = true));
    await lab.preset('cyclotron');
    await expect.poll(async () => (await texts()).filter((text) => text === '+').length).toBe(3);
    await expect.poll(texts).toContain('B 20 T');
    await lab.preset('drag-and-wind');
    await expect.poll(async () => (await texts()).some((text) => /^8\.\d\d? m\/s$|^8 m\/s$/.test(text))).toBe(true);
    await lab.plain();
    await lab.preset('magnetic-pendulum');
    for (const place of [[0.15, 0, 0], [-0.075, 0.13, 0]] as const) expect(await lab.isDrawnAt(await lab.seen([...place]), 2)).toBe(true);
  });
});

describe('it is looked at well', () => {
  test('planar mechanisms are seen face on', async () => {
    for (const name of ['seven-body', 'four-bar', 'slider-crank', 'rod-pendulum']) {
      await lab.preset(name);
      expect(await lab.page.evaluate(() => globalThis.catenaLab.store.mode.value), name).toBe('2d');
    }
    await lab.preset('seven-body');
    await lab.drawn();
    // Lengths of the mechanism's plane, x and y, are the same on the screen.
    const [o, x, y] = await Promise.all([lab.seen([0, 0, 0]), lab.seen([0.01, 0, 0]), lab.seen([0, 0.01, 0])]);
    expect(x!.x - o!.x).toBeGreaterThan(10);
    expect(o!.y - y!.y).toBeCloseTo(x!.x - o!.x, 6);
  });

  test('the camera follows what leaves, until a hand looks elsewhere', async () => {
    const { width, height } = await stage();
    const inside = async () => {
      const { x, y } = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(0));
      return x > 0 && x < width && y > 0 && y < height;
    };
    await lab.load('[simulation]\nduration = 60\n[[bodies]]\nname = "stone"\nshape = "sphere"\nradius = 0.1\nmass = 1\nvelocity = [3, 0, 5]\n');
    for (const mode of ['2d', '3d']) {
      await lab.press(mode);
      await lab.page.evaluate(() => globalThis.catenaLab.view.fit());
      for (let i = 0; i < 10; i++) {
        await lab.step(36);
        await expect.poll(inside, { message: `${mode} ${i}` }).toBe(true);
      }
      await lab.page.keyboard.press('Shift+R');
    }
    await lab.press('2d');
    await lab.page.keyboard.press('f');
    await lab.drawn();
    await lab.page.evaluate(() => globalThis.catenaLab.view.panBy(2000, 0));
    await lab.drawn();
    expect(await inside()).toBe(false);
    await lab.page.keyboard.press('f');
    await lab.drawn();
    expect(await inside()).toBe(true);
  });

  test('what goes round is seen with all of its way, and the picture comes to rest; what is coiled up is seen from near by', async () => {
    await lab.preset('four-bar-row');
    const seen = async (count: number) => {
      const cameras = new Set<string>();
      for (let i = 0; i < count; i++) {
        await lab.step(12);
        await lab.drawn();
        cameras.add(JSON.stringify(await lab.page.evaluate(() => globalThis.catenaLab.view.camera().map((value) => Number(value.toPrecision(6))))));
      }
      return cameras.size;
    };
    await seen(40);
    expect(await seen(20)).toBe(1);
    await lab.preset('horizontal-chain-100');
    await lab.drawn();
    const { height } = await stage();
    const places = await lab.page.evaluate(() => [...Array(100).keys()].map((link) => globalThis.catenaLab.view.screenOf(link).x));
    expect(Math.max(...places) - Math.min(...places)).toBeGreaterThan(0.2 * height);
  });
});

describe('notes', () => {
  test('names, axes and a scale that is true', async () => {
    await lab.page.evaluate(() => globalThis.catenaLab.actions.setNotes({ names: true, axes: true }));
    await lab.preset('four-bar');
    await lab.drawn();
    const shown = await texts();
    for (const text of ['crank', 'coupler', 'rocker', 'x', 'z']) expect(shown).toContain(text);
    expect(shown).not.toContain('y'); // it points at the eye
    // The bar on the screen is as long as it says.
    const said = shown.find((text) => /^[\d.]+ (m|cm|mm)$/.test(text))!;
    const [value, unit] = said.split(' ');
    const metres = Number(value) * { m: 1, cm: 0.01, mm: 0.001 }[unit as 'm' | 'cm' | 'mm'];
    const [a, b] = [await lab.seen([0, 0, 0]), await lab.seen([metres, 0, 0])];
    const { height } = await stage();
    // In the corner below, wherever the transport leaves room: a level line of that length.
    let off = Infinity;
    for (let y = height - 120; y < height - 4; y++) {
      const row = (await lab.drawnAt(Array.from({ length: 760 }, (_, i) => ({ x: 4 + i, y })), 0)).map((on) => (on ? '1' : '0')).join('');
      off = Math.min(off, ...row.split('0').map((run) => Math.abs(run.length - (b.x - a.x))));
    }
    expect(off).toBeLessThan(3);
    await lab.tab('show');
    await lab.page.click('[data-control=show-names]');
    await lab.drawn();
    expect(await texts()).not.toContain('crank');
    await lab.page.click('[data-control=show-names]');
  });

  test('arrows for velocity, acceleration, force, tension and reaction, with their values', async () => {
    await lab.load('[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 2\ntheta = "90 deg"', 'test');
    await showArrows('acceleration', 'force');
    await expect.poll(texts).toContain('9.81 m/s²');
    expect(await texts()).toContain('19.6 N');
    // Down from the bob, in the arrow's colour.
    const bob = await lab.page.evaluate(() => globalThis.catenaLab.view.screenOf(0));
    const below = (await lab.pixels(bob.x, bob.y + 40, 2)).filter(([, , , alpha]) => alpha > 100);
    expect(below.length).toBeGreaterThan(3);
    expect(Math.max(likeness(below[0]!, '#ff8f80'), likeness(below[0]!, '#ffb454'))).toBeGreaterThan(0.9);
    // At the lowest point v^2 = 2 g L and the tension is 3 m g.
    await showArrows('velocity', 'tension');
    await lab.page.evaluate(async () => {
      const { lab: engine } = globalThis.catenaLab;
      await engine.step(60);
      const theta = engine.layout.at('theta_1');
      while (engine.row[theta]! > 0) await engine.step(1);
    });
    const speed = Math.hypot(await lab.value('vx_1'), await lab.value('vz_1'));
    await expect.poll(texts).toContain(`${Number(speed.toPrecision(3))} m/s`);
    const cosine = Math.cos(await lab.value('theta_1'));
    await expect.poll(texts).toContain(`${Number((3 * 2 * 9.81 * cosine).toPrecision(3))} N`);
    await lab.preset('rod-pendulum');
    await showArrows('reaction');
    await expect.poll(async () => (await texts()).filter((text) => / N$/.test(text)).length).toBe(2);
    await showArrows();
    await expect.poll(async () => (await texts()).filter((text) => / N$/.test(text)).length).toBe(0);
  });

  test('a marked point leaves its coupler curve: the pin of the rocker, a circle', async () => {
    await lab.preset('four-bar');
    await lab.step(240);
    await lab.tab('show');
    await lab.press('mark');
    const { bodies, drawing } = await lab.page.evaluate(() => globalThis.catenaLab.store.description.value!);
    const rocker = bodies.findIndex(({ name }) => name === 'rocker');
    const pin = drawing.joints.find(({ bodies: names }) => names!.includes('rocker') && names!.includes('coupler'))!;
    const foot = drawing.joints.find(({ bodies: names }) => names!.includes('rocker') && names!.includes('ground'))!;
    // Near the pin, on the coupler or the rocker: the curve tells which.
    await lab.drawn();
    const at = await lab.page.evaluate(([body, anchor]) => globalThis.catenaLab.view.seenAt(globalThis.catenaLab.view['solids'].worldPoint(body as number, anchor as [number, number, number]).toArray()), [rocker, pin.anchors![pin.bodies!.indexOf('rocker')]!] as const);
    const box = await stage();
    await lab.page.mouse.click(box.x + at.x, box.y + at.y);
    expect(await lab.page.evaluate(() => globalThis.catenaLab.store.marks.value)).toBe(1);
    // Its way so far is known at once, from the engine's history.
    await lab.drawn();
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.curves.pointsOf(0).length)).toBeGreaterThan(30);
    await lab.step(240);
    await lab.drawn();
    const points = await lab.page.evaluate(() => globalThis.catenaLab.view.trails.curves.pointsOf(0));
    expect(points.length).toBeGreaterThan(60);
    const ground = foot.anchors![foot.bodies!.indexOf('ground')]!;
    const radii = points.map((point) => Math.hypot(point[0] - ground[0], point[2] - ground[2]));
    // As near the pin as a hand clicks.
    expect(Math.max(...radii) - Math.min(...radii)).toBeLessThan(0.03);
    const past = await lab.seen(points[20]!);
    expect(await lab.isDrawnAt(past, 3)).toBe(true);
    await lab.press('unmark');
    expect(await lab.page.evaluate(() => globalThis.catenaLab.view.trails.curves.marks.length)).toBe(0);
  });

  test('looking at arrows leaves the motion as it is, to the bit', async () => {
    const end = async () => {
      await lab.preset('double-pendulum');
      await lab.step(120);
      return (await lab.state()).row;
    };
    const alone = await end();
    await showArrows('velocity', 'acceleration', 'force', 'tension', 'reaction');
    expect(await end()).toEqual(alone);
    await showArrows();
  });
});
