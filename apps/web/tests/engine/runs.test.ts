// Recorded runs: every format of `catena run` says the same, number by number.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LaterVersion, readRun, type RecordedRun } from '../../src/files/runs';
import page from '../../package.json';
import { catena } from '../support';

const own: string = page.version;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'catena-runs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function record(scene: string, ...words: string[]) {
  const outputs = ['csv', 'json', 'npz', 'h5'].flatMap((ending) => ['-o', path.join(folder, `run.${ending}`)]);
  execFileSync(catena, ['run', scene, ...outputs, ...words], { stdio: 'ignore' });
}

async function runOf(ending: string): Promise<RecordedRun> {
  const bytes = new Uint8Array(readFileSync(path.join(folder, `run.${ending}`)));
  return (await readRun(`run.${ending}`, bytes, own))!;
}

describe.each([
  ['a chain', 'double-pendulum', ['--duration', '3']],
  // More rows than a chunk has, so that there is an index of chunks.
  ['many rows', 'pendulum', ['--duration', '400', '--sample', '0.01', '--quantities', 'position,energy,kinetic']],
  ['wide rows', 'horizontal-chain-100', ['--duration', '1']],
  ['bodies', 'four-bar', ['--duration', '1']],
])('%s', (_, scene, words) => {
  test('is the same in all formats', async () => {
    record(scene, ...words);
    const csv = await runOf('csv');
    expect(csv.columns.get('t')!.length).toBeGreaterThan(50);
    for (const ending of ['json', 'npz', 'h5']) {
      const other = await runOf(ending);
      expect([...other.columns.keys()], ending).toEqual([...csv.columns.keys()]);
      for (const [name, values] of csv.columns) expect(Array.from(other.columns.get(name)!), `${ending} ${name}`).toEqual(Array.from(values));
      expect(JSON.parse(other.scene!)).toEqual(JSON.parse(csv.scene!));
    }
  });
});

test('what is cut off is refused, not shown', async () => {
  record('pendulum', '--duration', '1');
  for (const ending of ['npz', 'h5']) {
    const whole = new Uint8Array(readFileSync(path.join(folder, `run.${ending}`)));
    await expect(readRun(`run.${ending}`, whole.slice(0, whole.length / 3), own)).rejects.toThrow();
  }
});

test('an archive that unpacks to hundreds of megabytes is refused before it does', async () => {
  const data = deflateRawSync(Buffer.alloc(450e6));
  const name = Buffer.from('x.npy');
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(data.length, 20);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(30 + name.length + data.length, 16);
  const file = Buffer.concat([local, name, data, entry, name, end]);
  expect(file.length).toBeLessThan(1e6);
  await expect(readRun('bomb.npz', new Uint8Array(file), own)).rejects.toThrow(/more than 200 MB/);
});

test('tables that promise more numbers than they have are refused before they cost memory', async () => {
  const header = `t,${Array.from({ length: 30_000 }, (_, i) => `x_${i + 1}`).join()}`;
  const table = `${header}\n${'0\n'.repeat(30_000)}`; // 7 GB, if each row were filled up
  await expect(readRun('wide.csv', new TextEncoder().encode(table), own)).rejects.toThrow(/fewer numbers/);
  // A dataset that says it has 2^27 rows in a file of some kilobytes.
  record('pendulum', '--duration', '1');
  const file = new Uint8Array(readFileSync(path.join(folder, 'run.h5')));
  const rows = (await readRun('run.h5', file, own))!.columns.get('t')!.length;
  const view = new DataView(file.buffer);
  let changed = 0;
  for (let at = 0; at + 16 < file.length; at++) {
    if (view.getUint32(at, true) !== rows || view.getUint32(at + 4, true) !== 0) continue;
    view.setUint32(at, 2 ** 27, true);
    changed++;
  }
  expect(changed).toBeGreaterThan(0);
  await expect(readRun('run.h5', file, own)).rejects.toThrow();
});

describe('a run of a later version', () => {
  test.each(['csv', 'json', 'npz', 'h5'])('is refused by its number, as %s; one of the same generation is not', async (ending) => {
    record('pendulum', '--duration', '1');
    const bytes = new Uint8Array(readFileSync(path.join(folder, `run.${ending}`)));
    for (const earlier of ['0.1.9', '0.0.1']) await expect(readRun(`run.${ending}`, bytes, earlier)).rejects.toThrow(new LaterVersion(own));
    for (const same of [own, '0.2.7', '0.3.0', '1.0.0']) expect((await readRun(`run.${ending}`, bytes, same))!.columns.get('t')!.length).toBeGreaterThan(10);
  });
  test('is refused by the format of its file, too', async () => {
    const later = JSON.stringify({ catena: own, format: 2, columns: { t: [0] } });
    await expect(readRun('run.json', new TextEncoder().encode(later), own)).rejects.toThrow(LaterVersion);
    const csv = '# catena 0.10.0\nt,x_1\n0,1\n';
    await expect(readRun('run.csv', new TextEncoder().encode(csv), own)).rejects.toThrow(new LaterVersion('0.10.0'));
  });
});
