// The work is kept by the browser: a reload goes on where it was, and a link or scene that is opened comes on top of it.
import * as actions from '../actions';
import { Lost } from '../engine/mistakes';
import type { Saved } from '../engine/protocol';
import * as store from '../store';
import { presentLook, takeLook, type Look } from './share';

interface Session {
  saved: Saved;
  look: Look;
  address: string; // what the page was asked for: a link that was opened before
  number: number; // of the session, so that what is noted at the end belongs to it
}

// What is noted when the page goes: where the motion had got since it was saved.
interface Last {
  number: number;
  tick: number;
  running: boolean;
}

const lastKey = 'catena-last';
const pause = 700; // ms after something was done
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
    const request = act(open.transaction('sessions', mode).objectStore('sessions'));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }).finally(() => open.close());
}

let number = 0;
let timer = 0;
let saving = false;
let again = false;
let latest: Session | null = null;
let kept = true; // by the browser; else only for an engine that dies

// Where there is no place to keep it (a private window, a full disk), the page works as ever.
async function save() {
  if (saving) {
    again = true;
    return;
  }
  saving = true;
  try {
    const saved = await actions.theLab().session();
    latest = { saved, look: presentLook(), address: location.hash, number: ++number };
    if (kept) await inStore('readwrite', (sessions) => sessions.put(latest, 'latest'));
    note();
  } catch (error) {
    if (error instanceof Lost) return;
  } finally {
    saving = false;
    if (again) {
      again = false;
      soon();
    }
  }
}

function soon() {
  clearTimeout(timer);
  timer = window.setTimeout(() => void save(), pause);
}

function note() {
  if (!latest || !kept) return;
  const last: Last = { number: latest.number, tick: Math.max(store.standing.value.begin, Math.min(actions.theLab().shownTick, store.standing.value.tick)), running: store.running.value };
  try {
    localStorage.setItem(lastKey, JSON.stringify(last));
  } catch {
    // No place: the session itself says where it was.
  }
}

export function isThere(): boolean {
  return localStorage.getItem(lastKey) !== null;
}

// The work of before, with its past. False: there is none. `address`: what the page was asked for then.
export async function takeUp(): Promise<{ address: string; running: boolean } | null> {
  const session = await inStore('readonly', (sessions) => sessions.get('latest') as IDBRequest<Session | undefined>).catch(() => undefined);
  if (!session || !(await actions.theLab().restore(session.saved, true))) return null;
  takeLook(session.look);
  const last = JSON.parse(localStorage.getItem(lastKey) ?? 'null') as Last | null;
  number = session.number;
  latest = session;
  if (last?.number === session.number) await goOnTo(last.tick);
  return { address: session.address, running: last?.running ?? session.look.running };
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
  return latest !== null && actions.theLab().restore(latest.saved, true);
}

export function keepSaving(byBrowser: boolean) {
  kept = byBrowser;
  actions.theLab().onChanged = soon;
  window.addEventListener('pagehide', note);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && (note(), void save()));
  setInterval(() => store.running.value && void save(), period);
  soon();
}
