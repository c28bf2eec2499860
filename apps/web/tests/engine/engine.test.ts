// The core as WebAssembly, in Node: the same motions as the native program, and every command of the page.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine';
import { AdvanceStatus, type Request } from '../../src/engine/protocol';
import { catena, column, shippedScene, startEngine } from '../support';

const ticksPerSecond = 120;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});

const chain = (more = '', each = '') => `[simulation]
duration = 10
tolerance = 1e-12
[chain]
${more}
[[chain.links]]
length = 1
mass = 1
theta = "100 deg"
repeat = 3
${each}`;
const elastic = chain('kind = "elastic"', 'stiffness = 200');

function play(ticks: number): Float64Array {
  expect(engine.advance(ticks)).toBe(ticks);
  const rows = engine.rows();
  return rows.slice(rows.length - rows.length / ticks);
}

describe('the same motion as the native program', () => {
  // Regular motions, on which roundoff grows slowly.
  const regular = {
    small: '[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "20 deg"\n[[chain.links]]\nlength = 0.7\nmass = 0.5\ntheta = "-10 deg"',
    conical: shippedScene('conical'),
    hanging: shippedScene('hanging-chain'),
    'spherical-pendulum': shippedScene('spherical-pendulum'),
    'elastic-pendulum': shippedScene('elastic-pendulum'),
  };
  test.each(Object.entries(regular))('%s: to 1e-9 after 10 s', (_name, text) => {
    const header = execFileSync(catena, ['run', '-', '-o', '-', '--times', '10', '--quantities', 'position,velocity'], { input: text, stdio: ['pipe', 'pipe', 'ignore'] });
    const [names, numbers] = header.toString().split('\n').filter((line) => line && !line.startsWith('#'));
    const native = new Map(names!.split(',').map((name, i) => [name, Number(numbers!.split(',')[i])]));
    const { columns } = engine.call({ do: 'load', text });
    const row = play(10 * ticksPerSecond);
    expect(row[0]).toBe(10);
    expect(native.size).toBeGreaterThan(6);
    for (const [name, value] of native) expect(Math.abs(row[column(columns, name)]! - value)).toBeLessThan(1e-9);
  });
});

describe('a whole run', () => {
  const text = `${chain()}
[[events]]
name = "down"
when = "theta_1"
`;
  const linesOf = (csv: string) => csv.split('\n').filter((line) => line && !line.startsWith('#'));

  test('has the columns and events of the command line', () => {
    const native = linesOf(execFileSync(catena, ['run', '-', '-o', '-'], { input: text, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1e8 }).toString());
    engine.call({ do: 'load', text });
    const { csv, summary } = engine.call({ do: 'record' });
    const lines = linesOf(csv);
    expect(lines[0]).toBe(native[0]);
    expect(lines.length).toBe(native.length);
    const first = lines[1]!.split(',').map(Number);
    native[1]!.split(',').forEach((value, i) => Number.isNaN(Number(value)) || expect(first[i]).toBeCloseTo(Number(value), 9));
    expect(summary.outcome).toBe('done');
    expect(Object.keys(summary.events as object)).toEqual(['down']);
  });

  test('may have some quantities alone, and names those that are unknown', () => {
    engine.call({ do: 'load', text });
    expect(linesOf(engine.call({ do: 'record', quantities: ['momentum'] }).csv)[0]).toMatch(/^t,px_1/);
    expect(() => engine.call({ do: 'record', quantities: ['momentun'] })).toThrow(/momentun/);
  });
});

describe('an experiment', () => {
  test('goes back to the same bits', () => {
    engine.call({ do: 'load', text: chain() });
    const there = play(77);
    play(200);
    engine.call({ do: 'go', tick: 77 });
    expect(engine.rows()).toEqual(there);
  });

  test('is dragged, and does not move then', () => {
    const { columns } = engine.call({ do: 'load', text: chain() });
    play(50);
    engine.call({ do: 'drag', chain: 0, link: 2, target: [1, 0, -1.5], may_leave_plane: false });
    const row = engine.rows();
    expect(row[column(columns, 'x_3')]).toBeCloseTo(1, 1);
    expect(row[column(columns, 'theta_dot_2')]).toBe(0);
  });

  test('becomes elastic without a jump, and stiff again with its lengths', () => {
    const before = engine.call({ do: 'load', text: chain() });
    const row = play(100);
    const soft = engine.call({ do: 'change', text: elastic });
    expect(soft.chains[0]!.elastic).toBe(true);
    expect(Math.abs(soft.energy_after - soft.energy_before)).toBeLessThan(1e-12);
    const now = engine.rows();
    for (const name of ['x_3', 'z_3', 'vx_3', 'vz_3']) {
      expect(Math.abs(now[column(soft.columns, name)]! - row[column(before.columns, name)]!)).toBeLessThan(1e-14);
    }
    play(60);
    const stiff = engine.call({ do: 'change', text: chain() });
    const [x, z] = ['x_1', 'z_1'].map((name) => engine.rows()[column(stiff.columns, name)]!);
    expect(Math.hypot(x!, z!)).toBeCloseTo(1, 14);
  });

  test('has ghosts that diverge', () => {
    engine.call({ do: 'load', text: chain() });
    const { columns, ghost_columns } = engine.call({ do: 'ghosts', ghosts: [{ offset: 1e-3, method: '' }] });
    const width = columns.reduce((sum, stem) => sum + Math.max(1, stem.labels.length), 0);
    const distance = (row: Float64Array) =>
      Math.hypot(...['x_3', 'y_3', 'z_3'].map((name) => row[column(columns, name)]! - row[width + column(ghost_columns, name)]!));
    expect(distance(engine.rows())).toBeCloseTo(1e-3, 6);
    expect(distance(play(20 * ticksPerSecond))).toBeGreaterThan(0.05);
  });

  test('is taken up elsewhere with the same bits', async () => {
    engine.call({ do: 'load', text: chain() });
    engine.call({ do: 'ghosts', ghosts: [{ offset: 1e-3, method: '' }] });
    play(123);
    const saved = engine.call({ do: 'save' });
    const other = await startEngine();
    expect(other.call({ do: 'restore', saved }).tick).toBe(123);
    const expected = play(100);
    other.advance(100);
    expect(other.rows().slice(-expected.length)).toEqual(expected);
  });

  test('makes changes of the past again, each in a batch of its own', () => {
    engine.call({ do: 'load', text: chain() });
    play(20);
    engine.call({ do: 'change', text: elastic });
    play(20);
    engine.call({ do: 'go', tick: 10 });
    expect(engine.call({ do: 'describe' }).chains[0]!.elastic).toBe(false);
    expect(engine.advance(30)).toBe(9);
    expect(engine.advance(30)).toBe(1);
    expect(engine.status).toBe(AdvanceStatus.redone);
    expect(engine.call({ do: 'describe' }).chains[0]!.elastic).toBe(true);
  });

  test('tells any column over any stretch of its past, and looking changes nothing', () => {
    engine.call({ do: 'load', text: chain() });
    const { columns } = engine.call({ do: 'describe' });
    const row = play(200);
    engine.call({ do: 'go', tick: 150 });
    const names = ['theta_1', 'x_3', 'energy', 'tension_1'];
    engine.call({ do: 'watch', columns: names });
    const ask = () => engine.call({ do: 'plot', columns: ['x_3', 'theta_1'], first: 0, last: 200, points: 300, envelope: false, most_ticks: 64 });
    let answer = ask();
    expect(answer.complete).toBe(false);
    while (!answer.complete) answer = ask();
    const rows = engine.rows();
    expect([answer.width, rows.length]).toEqual([3, 3 * 201]);
    expect([...rows.slice(-3)]).toEqual([200, row[column(columns, 'x_3')], row[column(columns, 'theta_1')]]);
    expect(engine.call({ do: 'describe' }).tick).toBe(150);
    expect(() => engine.call({ do: 'plot', columns: ['y_1'], first: 0, last: 9, points: 9, envelope: false, most_ticks: 0 })).toThrow(/y_1/);
    const { width } = engine.call({ do: 'table', first: 190, last: 200 });
    expect(engine.rows()).toHaveLength(11 * width);
    expect(engine.rows().slice(-width)).toEqual(row);
  });

  test('is undone and done again; a gesture at once', () => {
    engine.call({ do: 'load', text: chain() });
    play(30);
    const before = engine.call({ do: 'describe' });
    const there = engine.rows();
    for (let i = 0; i < 5; i++) {
      engine.call({ do: 'change', text: elastic.replace('200', String(200 + i)), gesture: 9 });
      play(3);
    }
    const last = play(1);
    const undone = engine.call({ do: 'undo' });
    expect(undone).toMatchObject({ done: true, tick: 30, scene: before.scene, can_redo: true });
    expect(engine.rows()).toEqual(there);
    expect(engine.call({ do: 'redo' })).toMatchObject({ done: true, tick: 46, can_redo: false });
    expect(engine.rows()).toEqual(last);
  });

  test('with all of its past, hands in it too, goes on in another engine', async () => {
    engine.call({ do: 'load', text: chain() });
    play(100);
    engine.call({ do: 'change', text: elastic });
    play(30);
    engine.call({ do: 'hold', chain: 0, link: 2, may_leave_plane: false, target: [1, 0, -1] });
    for (let i = 0; i < 10; i++) {
      engine.call({ do: 'pull', target: [1 - 0.05 * i, 0, -1] });
      play(2);
    }
    engine.call({ do: 'let_go' });
    play(60);
    const { saved } = engine.call({ do: 'session' });
    const other = await startEngine();
    expect(other.call({ do: 'restore', saved })).toMatchObject({ tick: 210, begin: 0, end: 210 });
    expect(other.rows()).toEqual((engine.call({ do: 'describe' }), engine.rows()));
    for (const tick of [140, 120, 99, 7]) {
      engine.call({ do: 'go', tick });
      const expected = engine.rows();
      other.call({ do: 'go', tick });
      expect(other.rows(), `tick ${tick}`).toEqual(expected);
    }
  });

  test('whose past is damaged is refused', () => {
    engine.call({ do: 'load', text: chain() });
    play(10);
    const { saved } = engine.call({ do: 'session' });
    const { memory } = saved;
    const entries = memory.entries as { snapshot: number }[];
    for (const damaged of [{ begin: 5 }, { end: -1 }, { present: 99 }, { entries: entries.map((entry) => ({ ...entry, snapshot: 99 })) }, { dragged: { scene: 0, hi: [1], lo: [], angles: [] } }]) {
      expect(() => engine.call({ do: 'restore', saved: { ...saved, memory: { ...memory, ...damaged } } as never })).toThrow();
    }
    expect(engine.advance(1)).toBe(1);
  });

  test('with all that can be undone goes on in another engine: back and forth to the same bits, and reset to the drag', async () => {
    engine.call({ do: 'load', text: chain() });
    play(40);
    engine.call({ do: 'change', text: elastic, look: 'flat' });
    play(20);
    engine.call({ do: 'drag', chain: 0, link: 2, may_leave_plane: false, target: [1, 0, -1] });
    play(20);
    engine.call({ do: 'ghosts', ghosts: [{ offset: 0.01, method: '' }] });
    play(20);
    engine.call({ do: 'undo', look: 'in space' });
    const { saved, undo, undo_version } = engine.call({ do: 'session', undo_known: -1 });
    expect(engine.call({ do: 'session', undo_known: undo_version })).not.toHaveProperty('undo');
    const other = await startEngine();
    expect(other.call({ do: 'restore', saved, undo, automatic: true })).toMatchObject({ can_undo: true, can_redo: true });
    const both = <R extends Request>(request: R) => {
      const [here, there] = [engine, other].map((one) => ({ answer: one.call(request), row: one.rows() }));
      expect(there).toEqual(here);
      return there!.answer;
    };
    expect(both({ do: 'redo' })).toMatchObject({ done: true, look: 'in space', ghosts: [{ offset: 0.01 }] });
    for (let i = 0; i < 3; i++) both({ do: 'undo' });
    expect(both({ do: 'describe' }).chains[0]!.elastic).toBe(false);
    for (let i = 0; i < 3; i++) both({ do: 'redo' });
    both({ do: 'reset', as_dragged: true });
    expect(Math.hypot(...['x_3', 'z_3'].map((name) => other.rows()[column(both({ do: 'describe' }).columns, name)]!))).toBeGreaterThan(0.5);
    expect(() => other.call({ do: 'restore', saved, undo: { ...(undo as object), earlier: [{}] } as never })).toThrow();
    expect(other.call({ do: 'describe' }).can_undo).toBe(true);
  });

  test('that explodes says so', () => {
    engine.call({ do: 'load', text: `${elastic.replace('tolerance = 1e-12', 'method = "euler"\nstep = 0.2')}` });
    expect(engine.advance(60 * ticksPerSecond)).toBeLessThan(60 * ticksPerSecond);
    expect(engine.status).toBe(AdvanceStatus.failed);
  });

  test('refuses bad scenes with place and remedy, and keeps the one it has', () => {
    engine.call({ do: 'load', text: chain() });
    expect(() => engine.call({ do: 'change', text: 'simulation = { duration = -1 }\nchian = 3', source: 'a.toml' })).toThrow(/a\.toml:1:\d+.*\n.*a\.toml:2:1/);
    expect(engine.advance(1)).toBe(1);
  });
});

test('the engine describes its methods and the schema of scenes', () => {
  const { methods, schema } = engine.call({ do: 'info' });
  expect(methods.map((method) => method.name)).toContain('taylor');
  expect(schema.properties).toHaveProperty('simulation');
});
