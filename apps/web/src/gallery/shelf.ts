// Scenes to choose from: shipped ones in groups, those opened last, and those of one's own. The browser keeps the latter two.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import { startEmpty } from '../build/builder';
import { closeTrajectory, trajectory } from '../files/trajectory';
import { keep, kept } from '../kept';
import { presets } from '../presets';
import { toToml } from '../scene/toml';
import * as store from '../store';
import { t, told } from '../texts';

export interface Item {
  name: string;
  text: string;
  summary: string;
  group: string;
}

export const galleryOpen = signal(false);

export const groups = ['recent', 'own', 'chains', 'elastic', 'mechanisms', 'bodies', 'formulas'] as const;

// What a scene's text is about.
export function groupOf(text: string): (typeof groups)[number] {
  if (/^\s*\[(lagrangian|equations)\b/m.test(text)) return 'formulas';
  if (/^\s*\[\[joints\]\]/m.test(text)) return 'mechanisms';
  if (/^\s*\[\[bodies\]\]/m.test(text)) return 'bodies';
  return /^\s*kind\s*=\s*"elastic"/m.test(text) ? 'elastic' : 'chains';
}

export const shipped = (): Item[] => presets.map(({ name, text, summary }) => ({ name, text, summary: told(`scene.${name}`, summary), group: groupOf(text) }));

// ---- kept by the browser

interface Kept {
  name: string;
  text: string; // empty: shipped
}

const mostKept = { recent: 8, own: 40 };
const mostCharacters = 60_000; // of one scene

function read(which: 'recent' | 'own'): Kept[] {
  try {
    const list = JSON.parse(kept(which) ?? '[]') as Kept[];
    return Array.isArray(list) ? list.filter((one) => typeof one?.name === 'string' && typeof one.text === 'string') : [];
  } catch {
    return [];
  }
}

export const recent = signal<Kept[]>(read('recent'));
export const own = signal<Kept[]>(read('own'));

function put(which: 'recent' | 'own', one: Kept): boolean {
  const list = which === 'recent' ? recent : own;
  const before = list.value;
  list.value = [one, ...before.filter(({ name }) => name !== one.name)].slice(0, mostKept[which]);
  if (keep(which, JSON.stringify(list.value))) return true;
  if (which === 'own') list.value = before;
  return false;
}

const isShipped = (name: string) => presets.some((one) => one.name === name);

function itemsOf(list: Kept[], group: 'recent' | 'own'): Item[] {
  return list.flatMap(({ name, text }) => {
    const preset = presets.find((one) => one.name === name && !text);
    if (!text && !preset) return [];
    return [{ name, text: text || preset!.text, summary: preset ? told(`scene.${name}`, preset.summary) : t('gallery.own.text'), group }];
  });
}

// All that matches what is looked for, by names and summaries.
export function found(words: string): Item[] {
  const all = [...itemsOf(recent.value, 'recent'), ...itemsOf(own.value, 'own'), ...shipped()];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const says = ({ name, summary, group }: Item) => `${name} ${name.replaceAll('-', ' ')} ${summary} ${t(`gallery.${group}`)}`.toLowerCase();
  return all.filter((item) => wanted.every((word) => says(item).includes(word)));
}

// What is on the stage now, as it starts.
export function keepOwn(name: string) {
  const text = toToml(store.scene.value);
  if (text.length > mostCharacters) return store.notify('warning', t('gallery.large'));
  if (!isOwn(name) && own.value.length >= mostKept.own) return store.notify('warning', t('gallery.full', { count: mostKept.own }));
  const kept = put('own', { name, text });
  store.notify(kept ? 'info' : 'warning', t(kept ? 'gallery.kept' : 'gallery.not-kept', { name }));
}

export const isOwn = (name: string) => own.value.some((one) => one.name === name);

export function forget(name: string) {
  own.value = own.value.filter((one) => one.name !== name);
  keep('own', JSON.stringify(own.value));
}

// Opening one keeps the work before it: undo goes back to it, and a drawing of one's own is among those opened last.
export async function open({ name, text }: Item) {
  galleryOpen.value = false;
  if (trajectory.value) closeTrajectory();
  await actions.theLab().stop();
  const before = store.presetName.value;
  if (before === 'drawing') {
    const drawn = toToml(store.scene.value);
    if (drawn.length <= mostCharacters) put('recent', { name: before, text: drawn });
  }
  if (name === 'drawing' && !text) return startEmpty();
  if (!(await actions.theLab().load(text, name, `${name}.toml`))) return;
  put('recent', { name, text: isShipped(name) ? '' : text });
  actions.lookAtScene();
}
