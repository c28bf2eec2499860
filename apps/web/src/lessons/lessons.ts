// The lessons that come with the page, and where the reader is in one of them.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import * as meters from '../measure/meters';
import { dampingOf, gravityOf } from '../scene/document';
import * as store from '../store';
import { language } from '../texts';
import { borrow, giveBack } from '../tour';
import { isDone, lessonFrom, type Lesson } from './markdown';

const files = import.meta.glob<string>('../../lessons/*.md', { query: '?raw', import: 'default', eager: true });

export const lessonNames = [...new Set(Object.keys(files).map((path) => /([\w-]+)\.\w+\.md$/.exec(path)![1]!))];

// In the reader's language; English where there is none.
export function lessonOf(name: string): Lesson {
  const text = (code: string) => files[`../../lessons/${name}.${code}.md`];
  return lessonFrom(text(language.value) ?? text('en')!);
}

export const lesson = signal<{ name: string; step: number } | null>(null);
export const done = signal<boolean[]>([]); // tasks of this step
export const answers = signal<(number | null)[]>([]);

export async function goTo(name: string | null, step = 0) {
  if (name === null) {
    lesson.value = null;
    await giveBack();
    return;
  }
  await borrow();
  const { steps } = lessonOf(name);
  const { scene, tasks } = steps[step]!;
  lesson.value = { name, step };
  done.value = tasks.map(() => false);
  answers.value = tasks.map(() => null);
  store.sheetOpen.value = true;
  if (!scene) return;
  await actions.theLab().stop();
  await actions.theLab().setGhosts([]);
  if (await actions.theLab().load(scene, name, `${name}.toml`)) actions.lookAtScene();
  meters.gate.value = null;
}

// What tasks may ask for.
function known(): Record<string, number | string | undefined> {
  const { t, ghosts, energy, error, kinetic } = store.live.value;
  const { description, scene } = store;
  return {
    time: t,
    links: actions.linkCount(),
    ghosts: description.value?.ghosts.length,
    divergence: ghosts[0]?.distance,
    growth: ghosts[0]?.growth ?? undefined,
    method: description.value?.method,
    gravity: gravityOf(scene.value),
    damping: dampingOf(scene.value),
    energy,
    kinetic,
    'energy-error': Math.abs(error),
    period: meters.swing.value?.period,
    amplitude: meters.swing.value?.amplitude,
    running: store.running.value ? 'yes' : 'no',
    panel: store.openPanel.value,
  };
}

// What is done stays done. To be called now and then.
export function look() {
  const at = lesson.value;
  if (!at) return;
  const { tasks } = lessonOf(at.name).steps[at.step]!;
  if (tasks.some(({ check }) => /^(period|amplitude)\b/.test(check))) void meters.readMeters();
  const facts = known();
  const now = tasks.map(({ check }, i) => done.value[i] || isDone(check, facts, answers.value[i] ?? null));
  if (now.some((one, i) => one !== done.value[i])) done.value = now;
}
