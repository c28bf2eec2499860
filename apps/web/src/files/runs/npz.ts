// NPZ: a zip archive of NumPy arrays.
import { through } from '../unpack';
import { columnsOfStems, doublesOf, refuseLater, type RecordedRun } from './run';

interface Entry {
  method: number;
  bytes: Uint8Array<ArrayBuffer>; // as they are stored
}

const mostBytes = 200e6; // of all arrays together, unpacked

// The archive's directory stands at its end (PKWARE APPNOTE 4.3).
function entriesOf(file: Uint8Array<ArrayBuffer>): Map<string, Entry> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let end = file.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error('no zip archive');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const out = new Map<string, Entry>();
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error('damaged zip archive');
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
    let size = view.getUint32(at + 20, true);
    let start = view.getUint32(at + 42, true);
    // Large archives keep the real numbers in an extra field: of those that do not fit, in this order.
    let wide = at + 46 + name;
    const last = wide + extra;
    while (wide + 4 <= last) {
      const [kind, length] = [view.getUint16(wide, true), view.getUint16(wide + 2, true)];
      if (kind === 1) {
        let field = wide + 4 + (view.getUint32(at + 24, true) === 0xffffffff ? 8 : 0);
        if (size === 0xffffffff) [size, field] = [Number(view.getBigUint64(field, true)), field + 8];
        if (start === 0xffffffff) start = Number(view.getBigUint64(field, true));
      }
      wide += 4 + length;
    }
    const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const key = new TextDecoder().decode(file.subarray(at + 46, at + 46 + name));
    out.set(key.replace(/\.npy$/, ''), { method: view.getUint16(at + 10, true), bytes: file.subarray(data, data + size) });
    at += 46 + name + extra + comment;
  }
  return out;
}

// What follows the header of an .npy file, and the type it names.
function arrayOf(bytes: Uint8Array): { type: string; data: Uint8Array } {
  if (bytes[0] !== 0x93 || new TextDecoder().decode(bytes.subarray(1, 6)) !== 'NUMPY') throw new Error('no NumPy array');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const first = bytes[6] === 1 ? 10 : 12;
  const length = bytes[6] === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = new TextDecoder().decode(bytes.subarray(first, first + length));
  if (/'fortran_order': True/.test(header)) throw new Error('an array by columns');
  return { type: /'descr': '([^']*)'/.exec(header)?.[1] ?? '', data: bytes.subarray(first + length) };
}

// NumPy's text has four bytes for each character.
function textOf({ data }: { data: Uint8Array }): string {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let text = '';
  for (let at = 0; at + 4 <= data.length; at += 4) text += String.fromCodePoint(view.getUint32(at, true));
  return text.replace(/\0+$/, '');
}

export async function readNpz(file: Uint8Array<ArrayBuffer>, own: string): Promise<RecordedRun> {
  const entries = entriesOf(file);
  const arrays = new Map<string, { type: string; data: Uint8Array }>();
  let left = mostBytes;
  for (const [name, { method, bytes }] of entries) {
    const unpacked = method === 8 ? await through(bytes, new DecompressionStream('deflate-raw'), left) : bytes;
    left -= unpacked.length;
    arrays.set(name, arrayOf(unpacked));
  }
  const needed = (name: string) => {
    const found = arrays.get(name);
    if (!found) throw new Error(`no array ${name}`);
    return found;
  };
  if (arrays.has('catena')) refuseLater(textOf(needed('catena')), own);
  const stems = JSON.parse(textOf(needed('stems'))) as string[][];
  const numbers = (name: string) => {
    if (needed(name).type !== '<f8') throw new Error(`${name} has no doubles`);
    return doublesOf(needed(name).data);
  };
  return { columns: columnsOfStems(stems, numbers), scene: arrays.has('scene') ? textOf(needed('scene')) : undefined };
}
