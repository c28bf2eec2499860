// A link that holds the whole state: scene, motion to the last bit, time, and how it is looked at.
import * as actions from '../actions';
import { takeLook, wholeLook, type Look } from '../look';
import type { Moment } from '../engine/protocol';
import * as store from '../store';
import { t } from '../texts';
import { through, TooLarge } from './unpack';

interface Shared {
  v: 1;
  saved: Moment;
  look: Look;
}

// No scene that this page could show is larger; what unpacks to more is refused while it does.
const mostBytes = 24e6;
const longLink = 2000; // characters that mail and chat programs take without cutting

class Refused extends Error {}

function toText(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  if (text.length > mostBytes) throw new TooLarge(mostBytes);
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

export async function shareLink(): Promise<string> {
  const running = store.running.value;
  const saved = await actions.theLab().save();
  const shared: Shared = { v: 1, saved, look: wholeLook(running) };
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'), Infinity);
  return `${location.href.split('#')[0]}#s=${toText(bytes)}`;
}

// What to know about a link before it is sent to others.
export function remarksOn(link: string): string[] {
  const { protocol, hostname } = new URL(link);
  const local = protocol === 'file:' || /^(localhost|127\.|\[::1\])/.test(hostname);
  return [...(link.length > longLink ? [t('link.long', { thousands: Math.round(link.length / 1000) })] : []), ...(local ? [t('link.local')] : [])];
}

// The same as a file.
export async function momentText(): Promise<string> {
  const look = wholeLook();
  return JSON.stringify({ v: 1, saved: await actions.theLab().save(), look } satisfies Shared);
}

async function take(text: string): Promise<boolean> {
  const { v, saved, look } = JSON.parse(text) as { v: number } & Omit<Shared, 'v'>;
  if (typeof v === 'number' && v > 1) throw new Refused(t('link.newer', { version: v }));
  if (v !== 1) throw new Error('no link');
  if (!(await actions.theLab().restore(saved))) return false;
  takeLook(look);
  return true;
}

// Takes up a moment that was saved as a file. Null: the text is none.
export async function openMoment(text: string): Promise<boolean | null> {
  if (!/^\s*\{\s*"v"\s*:/.test(text)) return null;
  return told(() => take(text));
}

async function told(act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Refused ? error.message : error instanceof TooLarge ? t('link.bomb', { megabytes: error.most / 1e6 }) : t('notice.bad-link');
    store.notify('mistake', reason, 20);
    return false;
  }
}

// Takes up what a link holds. False: it holds nothing that can be read, and why was told.
export async function openShared(code: string): Promise<boolean> {
  return told(async () => take(new TextDecoder().decode(await through(fromText(code), new DecompressionStream('deflate-raw'), mostBytes))));
}
