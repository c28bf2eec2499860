// A link that holds the whole state: scene, motion to the last bit, time, and how it is looked at.
import * as actions from '../actions';
import type { Saved } from '../engine/protocol';
import * as store from '../store';

interface Shared {
  v: 1;
  saved: Saved;
  look: { mode: '2d' | '3d'; camera: number[]; speed: number; trace: boolean; running: boolean };
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Blob([bytes]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);
  return new Uint8Array(await new Response(out).arrayBuffer());
}

function toText(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

export async function shareLink(): Promise<string> {
  const running = store.running.value;
  const saved = await actions.theLab().save();
  const shared: Shared = {
    v: 1,
    saved,
    look: { mode: store.mode.value, camera: actions.theView().camera(), speed: store.speed.value, trace: store.trace.value, running },
  };
  const bytes = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
  return `${location.href.split('#')[0]}#s=${toText(bytes)}`;
}

// Takes up what a link holds; false when it holds nothing that can be read.
export async function openShared(code: string): Promise<boolean> {
  try {
    const bytes = await through(fromText(code), new DecompressionStream('deflate-raw'));
    const { v, saved, look } = JSON.parse(new TextDecoder().decode(bytes)) as Shared;
    if (v !== 1 || !(await actions.theLab().restore(saved))) return false;
    actions.setMode(look.mode === '3d' ? '3d' : '2d');
    actions.theView().setCamera(look.camera);
    actions.setSpeed(Number(look.speed) || 1);
    actions.setTrace(!!look.trace);
    return true;
  } catch {
    return false;
  }
}
