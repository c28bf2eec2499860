// A recorded run as the files of `catena run` hold it (docs/files.md), whatever their format.
export interface RecordedRun {
  columns: Map<string, ArrayLike<number>>;
  scene: string | undefined; // JSON text
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
