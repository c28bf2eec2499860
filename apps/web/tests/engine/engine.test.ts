// The core as WebAssembly, in Node: the same motions as the native program, and every command of the page.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine';
import { AdvanceStatus } from '../../src/engine/protocol';
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
