// A recorded run as the files of `catena run` hold it (docs/files.md), whatever their format.
export interface RecordedRun {
  columns: Map<string, ArrayLike<number>>;
  scene: string | undefined; // JSON text
}

// Files of a later program may say things that this page would take for something else.
export class LaterVersion extends Error {
  constructor(readonly version: string) {
    super(`version ${version} wrote it`);
  }
}

// Versions with the same first two numbers write the same files.
function generationOf(version: string): [number, number] | null {
  const match = /^(\d+)\.(\d+)(?:\.|$)/.exec(version.trim());
  return match && [Number(match[1]), Number(match[2])];
}

// `own`: the version of this page.
export function refuseLater(version: string | undefined, own: string) {
  const [theirs, ours] = [generationOf(version ?? ''), generationOf(own)];
  if (theirs && ours && (theirs[0] - ours[0] || theirs[1] - ours[1]) > 0) throw new LaterVersion(version!.trim());
}

// Columns of arrays per stem, as HDF5 and NPZ have them: [rows][labels], row by row.
export function columnsOfStems(stems: string[][], array: (name: string) => Float64Array): Map<string, ArrayLike<number>> {
  const totals = new Set(stems.filter((stem) => stem.length === 1).map(([name]) => name));
  const out = new Map<string, ArrayLike<number>>();
  for (const [name, ...labels] of stems) {
    // Where a total has the same name, the stem of several columns makes way for it.
    const values = array(labels.length && totals.has(name!) ? `${name}_each` : name!);
    if (!labels.length) out.set(name!, values);
    labels.forEach((label, k) => {
      const column = new Float64Array(values.length / labels.length);
      for (let row = 0; row < column.length; row++) column[row] = values[row * labels.length + k]!;
      out.set(`${name}_${label}`, column);
    });
  }
  return out;
}

// Doubles, little endian, wherever they begin.
export function doublesOf(bytes: Uint8Array): Float64Array {
  return new Float64Array(bytes.slice(0, bytes.length - (bytes.length % 8)).buffer);
}
