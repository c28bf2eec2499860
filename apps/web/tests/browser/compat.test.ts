// Links that version 0.1.0 made open as they did then.
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../paths.ts';
import { browser, LabPage, server, withLab } from './page';

interface Expected {
  what: string;
  time: string; // as the page writes it
  tick: number;
  speed: number;
  mode: '2d' | '3d';
  trace: boolean;
  ghosts: { offset: number; method: string }[];
  scene: unknown;
  values: Record<string, number>; // of the row, all digits
  ghostValues: Record<string, number>[];
  places: number[][]; // of bobs, then of bodies
}

const folder = path.join(root, 'tests/compat/web');
const names = readdirSync(folder).filter((name) => name.endsWith('.txt')).map((name) => name.replace(/\.txt$/, ''));

// One step of the method lies between the checkpoint in a link and the row that is shown: its roundoff, and no more.
const roundoff = 1e-12;

withLab();

describe('links of version 0.1.0', () => {
  test('are all there', () => expect(names.length).toBeGreaterThanOrEqual(3));

  test.each(names)('%s opens as it was', async (name) => {
    const code = readFileSync(path.join(folder, `${name}.txt`), 'utf8').trim();
    const expected = JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Expected;
    const page = await LabPage.open(browser, `${server.address}#s=${code}`);
    const state = await page.state();
    await page.drawn();
    expect(state.tick).toBe(expected.tick);
    expect(state.scene).toEqual(expected.scene);
    for (const [column, value] of Object.entries(expected.values)) {
      expect(Math.abs(state.row[state.names.indexOf(column)]! - value), column).toBeLessThan(roundoff * (1 + Math.abs(value)));
    }
    expected.ghostValues.forEach((values, ghost) => {
      const offset = state.names.length + ghost * state.ghostNames.length;
      for (const [column, value] of Object.entries(values)) {
        expect(Math.abs(state.row[offset + state.ghostNames.indexOf(column)]! - value), `ghost ${ghost} ${column}`).toBeLessThan(roundoff * (1 + Math.abs(value)));
      }
    });
    const shown = await page.page.evaluate((count) => {
      const { store, view } = globalThis.catenaLab;
      return { speed: store.speed.value, mode: store.mode.value, trace: store.trace.value, ghosts: store.ghosts.value.map(({ offset, method }) => ({ offset, method })), places: Array.from({ length: count }, (_, i) => [...view.placeOf(i)]) };
    }, expected.places.length);
    expect(shown).toMatchObject({ speed: expected.speed, mode: expected.mode, trace: expected.trace, ghosts: expected.ghosts });
    // What is drawn has the seven digits of a graphics card.
    shown.places.forEach((place, i) => place.forEach((x, axis) => expect(x, `place ${i}`).toBeCloseTo(expected.places[i]![axis]!, 5)));
    await expect.poll(() => page.page.textContent('[data-shows=time]')).toBe(expected.time);
    expect(await page.page.getAttribute(`[data-action="${expected.mode}"]`, 'aria-pressed')).toBe('true');
    expect(page.problems).toEqual([]);
    await page.close();
  });
});
