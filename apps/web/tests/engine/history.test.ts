// An hour in the lab, with hands at work all the time: within 300 MB, and all of it can be gone back to.
import { expect, test } from 'vitest';
import { newChain } from '../../src/scene/document';
import { startEngine } from '../support';

test('an hour of motion with a ghost, plots and hundreds of changes', async () => {
  const engine = await startEngine();
  const wish = { links: 3, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 };
  const scene = (gravity: number) => JSON.stringify(newChain({ ...wish, gravity }));
  engine.call({ do: 'load', text: scene(9.81), name: 'chain' });
  engine.call({ do: 'watch', columns: [1, 2, 3].flatMap((link) => [`theta_${link}`, `theta_dot_${link}`, `x_${link}`, `z_${link}`, `ghost1.x_${link}`]) });
  engine.call({ do: 'ghosts', ghosts: [{ offset: 1e-3, method: '' }] });
  const hour = 120 * 3600;
  let marked: { tick: number; row: Float64Array } | null = null;
  for (let tick = 0, change = 0; tick < hour; change++) {
    const done = engine.advance(Math.min(1200, hour - tick));
    const rows = engine.rows();
    tick += done;
    if (tick >= hour / 2) marked ??= { tick: tick - 1, row: rows.slice(-2 * (rows.length / done), -rows.length / done) };
    // A slider that is moved now and then.
    engine.call({ do: 'change', text: scene(9.81 + 0.1 * Math.sin(change)), name: 'chain', gesture: change + 1 });
  }
  const { tick, end, can_undo } = engine.call({ do: 'describe' });
  expect([tick, end, can_undo]).toEqual([hour, hour, true]);
  const megabytes = engine.memory / 1e6;
  console.info(`an hour: ${megabytes.toFixed(0)} MB`);
  expect(megabytes).toBeLessThan(300);
  // Half an hour ago, to the same bits; what is kept for a reload is small.
  expect(engine.call({ do: 'go', tick: marked!.tick }).tick).toBe(marked!.tick);
  expect(engine.rows()).toEqual(marked!.row);
  const session = JSON.stringify(engine.call({ do: 'session', undo_known: -1 }));
  expect(session.length).toBeLessThan(12e6);
});
