// Scenes as the page writes them are accepted by the core, and mean what they should.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine';
import type { Description, SceneDocument } from '../../src/engine/protocol';
import { Layout } from '../../src/rows';
import { dampingOf, newChain, sceneFromHere, setDamping, setElastic } from '../../src/scene/document';
import { kindOf, lawsOf, newForce, valueFrom } from '../../src/scene/forces';
import { runCommand, toToml } from '../../src/scene/toml';
import en from '../../src/texts/en.json';
import ja from '../../src/texts/ja.json';
import { shippedScene, sources, startEngine } from '../support';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});
const plain = { links: 3, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 };

test('every law of the schema can be added as it is', () => {
  const laws = lawsOf(engine.call({ do: 'info' }).schema);
  expect(laws.length).toBeGreaterThan(5);
  for (const law of laws) {
    const doc: SceneDocument = { ...newChain(plain), forces: [newForce(law, 'chain.1')] };
    expect(() => engine.call({ do: 'load', text: JSON.stringify(doc) }), kindOf(law)).not.toThrow();
  }
});

test('values are typed as in scenes', () => {
  expect(valueFrom(' 0.5 ')).toBe(0.5);
  expect(valueFrom('sin(2*t)')).toBe('sin(2*t)');
  expect(valueFrom('[0, -k*x, 1e-3]')).toEqual([0, '-k*x', 0.001]);
  expect(valueFrom('["chain.1", [1, 0, 0]]')).toEqual(['chain.1', [1, 0, 0]]);
  expect(valueFrom('')).toBe(null);
});

test('damping 0 is none', () => {
  const doc = newChain({ ...plain, damping: 0.9 });
  expect(dampingOf(doc)).toBe(0.9);
  setDamping(doc, 0);
  expect(dampingOf(doc)).toBe(0);
  expect(JSON.stringify(doc)).not.toContain('damping');
});

describe('TOML', () => {
  test.each(['demo', 'tree', 'elastic-chain', 'rods'])('of %s is read back as the same scene', (name) => {
    const { scene } = engine.call({ do: 'check', text: shippedScene(name) });
    expect(engine.call({ do: 'check', text: toToml(scene) }).scene).toEqual(scene);
  });

  test('of forces and lists', () => {
    const doc = { ...newChain(plain), forces: [{ kind: 'formula', force: ['-0.1*vx', '0', 'k*sin(t)'], parameters: { k: 0.5 } }] };
    const { scene } = engine.call({ do: 'check', text: toToml(doc) });
    expect(scene.forces).toEqual(doc.forces);
    expect(runCommand(doc, 'mine')).toMatch(/^catena run - -o mine\.h5 <<'SCENE'\n\[simulation\]/);
  });
});

describe('a scene from here', () => {
  const here = (description: Description) => sceneFromHere(description.scene, description, new Layout(description.columns), engine.rows());
  test.each([false, true])('goes on as the motion does (elastic: %s)', (elastic) => {
    const doc = newChain(plain);
    if (elastic) setElastic(doc, true, 200);
    engine.call({ do: 'load', text: JSON.stringify(doc) });
    engine.advance(100);
    const description = engine.call({ do: 'describe' });
    const start = here(description);
    engine.advance(60);
    const expected = engine.rows().slice(-engine.rows().length / 60);
    engine.call({ do: 'load', text: JSON.stringify(start) });
    engine.advance(60);
    const rows = engine.rows();
    const layout = new Layout(description.columns);
    const [x, v] = [layout.at('x_1'), layout.at('vz_1')];
    // Half a second of a motion in which roundoff grows a hundredfold.
    for (const at of [x, x + 2, v, v + 2]) expect(rows[59 * layout.width + at]).toBeCloseTo(expected[at]!, 11);
  });
});

describe('texts', () => {
  const pairs = Object.entries(en).map(([key, text]) => [key, text, (ja as Record<string, string>)[key] ?? ''] as const);

  test('are the same in both languages', () => {
    expect(Object.keys(ja).sort()).toEqual(Object.keys(en).sort());
  });

  test('have the same places to fill in', () => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const [key, english, japanese] of pairs) expect(places(japanese), key).toEqual(places(english));
  });

  test('are Japanese where they are words', () => {
    for (const [key, english, japanese] of pairs) if (/[a-z]{3}/.test(english.replaceAll(/\{\w+\}/g, ''))) expect(japanese, key).toMatch(/[\u3040-\u30ff\u4e00-\u9fff]/);
  });

  test('that the page asks for are there', () => {
    const asked = sources().flatMap((text) => [...text.matchAll(/\bt\('([\w.-]+)'/g)].map((match) => match[1]!));
    expect(asked.length).toBeGreaterThan(80);
    for (const key of asked) expect(en, key).toHaveProperty([key]);
  });
});
