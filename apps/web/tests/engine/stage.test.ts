// What the stage shows beside places: the engine's vectors, fields, drawings and equations, against laws.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine';
import { parametersFrom, piecesOf } from '../../src/scene/formula';
import { pitchRadii } from '../../src/view/joints';
import { shippedScene, startEngine } from '../support';

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
});

const g = 9.81;
const pendulum = '[simulation]\nduration = 10\n[[chain.links]]\nlength = 2\nmass = 3\ntheta = "60 deg"';

function sight(quantities: string[]) {
  const { names, values, rates } = engine.call({ do: 'sight', quantities });
  return { value: (name: string) => values[names.indexOf(name)]!, rate: (name: string) => rates[names.indexOf(name)]! };
}

describe('vectors', () => {
  test('a pendulum let go accelerates by g sin(theta) across its rod', () => {
    engine.call({ do: 'load', text: pendulum });
    const { rate } = sight(['velocity', 'px', 'py', 'pz']);
    const a = [rate('vx_1'), rate('vy_1'), rate('vz_1')];
    expect(Math.hypot(...a)).toBeCloseTo(g * Math.sin(Math.PI / 3), 7);
    expect(rate('px_1')).toBeCloseTo(3 * a[0]!, 6);
  });

  test('forces of a moving rod are its weight and what its joints do', () => {
    engine.call({ do: 'load', text: shippedScene('rod-pendulum') });
    engine.advance(77);
    const { bodies, drawing } = engine.call({ do: 'describe' });
    const { value, rate } = sight(['px', 'py', 'pz', 'fx', 'fy', 'fz']);
    for (const { name, mass } of bodies.filter(({ fixed }) => !fixed)) {
      for (const axis of ['x', 'y', 'z']) {
        const own = drawing.joints.reduce((sum, joint) => sum + (joint.bodies![1] === name ? 1 : joint.bodies![0] === name ? -1 : 0) * value(`f${axis}_${joint.name}`), 0);
        expect(rate(`p${axis}_${name}`)).toBeCloseTo(own - (axis === 'z' ? mass * g : 0), 6);
      }
    }
  });

  test('a conical pendulum is pulled to the middle of its circle, and looking changes no bit', () => {
    const text = shippedScene('conical');
    engine.call({ do: 'load', text });
    engine.advance(240);
    const alone = engine.rows().slice();
    engine.call({ do: 'load', text });
    for (let tick = 0; tick < 240; tick++) {
      engine.advance(1);
      if (tick % 40 === 0) sight(['velocity', 'tension', 'px']);
    }
    expect([...engine.rows()]).toEqual([...alone.slice(-engine.rows().length)]);
    const { value, rate } = sight(['position', 'velocity']);
    const speed = Math.hypot(value('vx_1'), value('vy_1'));
    expect(Math.hypot(rate('vx_1'), rate('vy_1'))).toBeCloseTo(speed ** 2 / Math.hypot(value('x_1'), value('y_1')), 6);
    expect(rate('vx_1') * value('x_1') + rate('vy_1') * value('y_1')).toBeLessThan(0);
  });
});

describe('fields', () => {
  test('wind grows with height as its law says, and gusts with time', () => {
    engine.call({ do: 'load', text: shippedScene('drag-and-wind') });
    engine.advance(120);
    const t = 1;
    const { fields } = engine.call({ do: 'fields', places: [[0, 0, 10], [3, 1, 2.5], [0, 0, -1]] });
    expect(fields.map(({ name }) => name)).toEqual(['wind']);
    const along = 8 + 3 * Math.sin(0.9 * t) + 2 * Math.sin(2.3 * t);
    expect(fields[0]!.vectors[0]![0]).toBeCloseTo(along, 10);
    expect(fields[0]!.vectors[1]![0]).toBeCloseTo(along * 0.25 ** 0.14, 10);
    expect(fields[0]!.vectors[2]).toEqual([0, 0, 0]);
  });

  test('a magnet has a dipole field, a fixed charge that of Coulomb', () => {
    const forces = '[[forces]]\nkind = "magnet"\nposition = [0, 0, 0]\nmoment = [0, 0, 5]\n[[forces]]\nkind = "point-charge"\nposition = [1, 0, 0]\ncharge = 2\nconstant = 3';
    engine.call({ do: 'load', text: `${pendulum}\ncharge = 1\n${forces}` });
    const { fields } = engine.call({ do: 'fields', places: [[0, 0, 2], [3, 0, 0]] });
    const by = (name: string) => fields.find((field) => field.name === name)!.vectors;
    expect(by('magnetic')[0]![2]).toBeCloseTo((2 * 1e-7 * 5) / 8, 14); // mu0/(2 pi) m / z^3
    expect(by('magnetic')[1]![2]).toBeCloseTo((-1e-7 * 5) / 27, 14);
    expect(by('electric')[1]![0]).toBeCloseTo((3 * 2) / 4, 9);
  });

  test('without sources there is none', () => {
    engine.call({ do: 'load', text: pendulum });
    expect(engine.call({ do: 'fields', places: [[0, 0, 0]] }).fields).toEqual([]);
  });
});

describe('drawings', () => {
  const drawingOf = (scene: string) => engine.call({ do: 'check', text: scene }).drawing;

  test('a body known by mass and inertia is the ellipsoid that has them', () => {
    const [body] = drawingOf(shippedScene('heavy-top')).bodies;
    const [a, b, c] = body!.ellipsoid!.map((extent) => extent / 2) as [number, number, number];
    expect((15 / 5) * (a * a + c * c)).toBeCloseTo(0.46875, 9);
    expect(b).toBeLessThan(0.05 * a); // a disc
  });

  test.each([
    ['four-bar', [0, 1, 0]],
    ['slider-crank', [0, 1, 0]],
    ['seven-body', [0, 0, 1]],
    ['rod-pendulum', [0, 1, 0]],
  ])('%s moves in a plane', (name, normal) => {
    const found = drawingOf(shippedScene(name)).normal!;
    expect(Math.abs(found.reduce((sum, c, i) => sum + c * normal[i]!, 0))).toBeCloseTo(1, 9);
  });

  test.each(['gyroscope', 'governor', 'heavy-top', 'six-hinges', 'intermediate-axis', 'boxes-on-a-hinge'])('%s does not', (name) => {
    expect(drawingOf(shippedScene(name)).normal).toBeUndefined();
  });

  test('springs of links, magnets, charges, ropes and held ends are in it', () => {
    expect(drawingOf(shippedScene('rope')).chains[0]!.slack).toBe(true);
    expect(drawingOf(shippedScene('elastic-chain')).chains[0]!.slack).toBeUndefined();
    const [spring] = drawingOf(shippedScene('coupled-pendulums')).link_springs!;
    expect(spring!.ends.every((end) => 'chain' in end)).toBe(true);
    expect(drawingOf(shippedScene('magnetic-pendulum')).sources!.map(({ kind }) => kind)).toEqual(['magnet', 'magnet', 'magnet']);
    expect(drawingOf(shippedScene('cyclotron')).chains[0]!.links.map(({ charge }) => charge)).toEqual([0.05, 0.05, 0.05]);
    expect(drawingOf(shippedScene('catenary')).chains[0]!.end!.body).toBe('ground');
  });

  test('wheels of a gear touch and roll on each other', () => {
    for (const [distance, ratio] of [[1, -0.5], [1, -3], [0.7, 2], [0.7, 0.25]] as const) {
      const [a, b] = pitchRadii(distance, ratio)!;
      expect(a / b).toBeCloseTo(Math.abs(ratio), 12); // q_second = ratio q_first: the rims move alike
      expect(ratio < 0 ? a + b : Math.abs(a - b)).toBeCloseTo(distance, 12);
    }
    expect(pitchRadii(1, 1)).toBe(null); // a belt
  });
});

describe('equations', () => {
  test('of a chain, with the names of its links and the values of its parameters', () => {
    engine.call({ do: 'load', text: shippedScene('double-pendulum') });
    const { sections } = engine.call({ do: 'equations' });
    expect(sections.map(({ title }) => title)).toContain('Equations of motion');
    expect(parametersFrom(sections.find(({ title }) => title === 'Parameters')!.note).get('g')).toBe(9.81);
  });

  test('those that are not written out say why', () => {
    engine.call({ do: 'load', text: shippedScene('coupled-pendulums') });
    const { sections, reason } = engine.call({ do: 'equations' });
    expect(sections).toEqual([]);
    expect(reason).toMatch(/one chain/);
  });

  test('formulas fall into symbols that know their parts', () => {
    const pieces = piecesOf("m_2*l_1*theta_2'^2*cos(theta_1 - theta_2)", ['1', '2']);
    expect(pieces.filter(({ kind }) => kind === 'name').map(({ text, lower, raised, part }) => [text, lower, raised, part])).toEqual([
      ['m', '2', undefined, '2'],
      ['l', '1', undefined, '1'],
      ['θ′', '2', '2', '2'],
      ['θ', '1', undefined, '1'],
      ['θ', '2', undefined, '2'],
    ]);
    const [first, , second] = piecesOf("R11_connecting-rod - x_crank''", ['crank', 'connecting-rod']);
    expect(first).toMatchObject({ text: 'R', lower: '11 connecting-rod', part: 'connecting-rod' });
    expect(second).toMatchObject({ text: 'x″', lower: 'crank', part: 'crank' });
    expect(piecesOf('lambda_1', ['1'])[0]!.part).toBeUndefined();
  });

  test('numbers are put in for parameters alone', () => {
    const shown = piecesOf('m_1*g*theta_1', ['1'], new Map([['m_1', 2.5], ['g', 9.81]])).map(({ text }) => text.trim());
    expect(shown).toEqual(['2.5', '·', '9.81', '·', 'θ']);
  });
});
