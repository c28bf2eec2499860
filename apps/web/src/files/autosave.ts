// The work is kept by the browser: a reload goes on where it was, with all that can be undone, and a link or scene that is
// opened comes on top of it.
import { effect } from '@preact/signals';
import * as actions from '../actions';
import { Lost } from '../engine/mistakes';
import type { Json, Session } from '../engine/protocol';
import { keep, keeps, kept } from '../kept';
import { takeLook, takeMarks, wholeLook, type Look } from '../look';
import { panels } from '../plots/panels';
import * as store from '../store';

interface Work {
  saved: Session;
  look: Look;
  address: string; // what the page was asked for: a link that was opened before
  number: number; // of the work, so that what is noted at the end belongs to it
}

// What is noted when the page goes: where the motion had got since it was saved.
interface Last {
  number: number;
  tick: number;
  running: boolean;
}

const pause = 250; // ms after something was done, while more of it comes
const period = 4000; // ms while time runs

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('catena', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('sessions');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function inStore<T>(mode: IDBTransactionMode, act: (sessions: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const open = await database();
  return new Promise<T>((resolve, reject) => {
    const transaction = open.transaction('sessions', mode);
    const request = act(transaction.objectStore('sessions'));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  }).finally(() => open.close());
}

let number = 0;
let timer = 0;
let saving = false;
let again = false;
let latest: Work | null = null;
let undo: Json | undefined; // of the latest
let undoVersion = -1;

// What can be undone is sent and written only where it is another than before.
async function write() {
  const session = await actions.theLab().session(undoVersion);
  latest = { saved: session.saved, look: wholeLook(), address: location.hash, number: ++number };
  const changed = session.undo !== undefined;
  if (changed) undo = session.undo;
  undoVersion = session.undo_version;
  if (!keeps) return; // only for an engine that dies
  await inStore('readwrite', (sessions) => {
    if (changed) sessions.put(undo, 'undo');
    return sessions.put(latest, 'work');
  });
  note();
}

// Where there is no place to keep it (a private window, a full disk), the page works as ever.
async function save() {
  if (saving) {
    again = true;
    return;
  }
  saving = true;
  try {
    await write();
  } catch (error) {
    undoVersion = -1; // it may not have been written
    if (error instanceof Lost) return;
  } finally {
    saving = false;
    if (again) {
      again = false;
      soon();
    }
  }
}

let lastSoon = 0;

// At once after a rest; else once there is one.
function soon() {
  const quiet = performance.now() - lastSoon > 2 * pause;
  lastSoon = performance.now();
  clearTimeout(timer);
  timer = window.setTimeout(() => void save(), quiet ? 0 : pause);
}

function note() {
  if (!latest || !keeps) return;
  const last: Last = { number: latest.number, tick: Math.max(store.standing.value.begin, Math.min(actions.theLab().shownTick, store.standing.value.tick)), running: store.running.value };
  keep('last', JSON.stringify(last)); // without it the work itself says where it was
}

export function isThere(): boolean {
  return kept('last') !== null;
}

const read = <T>(key: string) => inStore('readonly', (sessions) => sessions.get(key) as IDBRequest<T | undefined>).catch(() => undefined);

// The work of before, with its past. Null: there is none. `address`: what the page was asked for then.
export async function takeUp(): Promise<{ address: string; running: boolean } | null> {
  const [work, steps] = await Promise.all([read<Work>('work'), read<Json>('undo')]);
  if (!work || !(await restore(work, steps))) return null;
  takeLook(work.look);
  const last = JSON.parse(kept('last') ?? 'null') as Last | null;
  number = work.number;
  [latest, undo] = [work, steps];
  if (last?.number === work.number) await goOnTo(last.tick);
  return { address: work.address, running: last?.running ?? work.look.running };
}

function restore({ saved }: Work, steps: Json | undefined): Promise<boolean> {
  undoVersion = -1;
  return actions.theLab().restore(saved, { undo: steps, automatic: true });
}

// By the same steps as before, so to the same bits.
async function goOnTo(tick: number) {
  const lab = actions.theLab();
  const { tick: now, end } = store.standing.value;
  if (tick <= end) await lab.go(tick);
  else if (tick - now < 120 * 60) await lab.step(tick - now);
}

// What the engine was told last, for when it dies.
export async function revive(): Promise<boolean> {
  if (!latest || !(await restore(latest, undo))) return false;
  takeMarks(latest.look);
  return true;
}

export function keepSaving() {
  actions.theLab().onChanged = soon;
  effect(() => {
    for (const one of [store.mode, store.arrows, store.notes, store.showFields, store.strainColors, store.marks, panels]) void one.value;
    soon();
  });
  window.addEventListener('pagehide', note);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && (note(), void save()));
  setInterval(() => store.running.value && void save(), period);
}
