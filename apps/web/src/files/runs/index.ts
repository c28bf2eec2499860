// Recorded runs by the ending of their files.
import { isHdf5, readHdf5 } from './hdf5';
import { readNpz } from './npz';
import type { RecordedRun } from './run';
import { readCsv, readJson } from './text';

export type { RecordedRun } from './run';

// The run in a file, or null where it is something else: a scene. Throws where it is damaged.
export async function readRun(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<RecordedRun | null> {
  if (/\.(h5|hdf5)$/i.test(name) || isHdf5(bytes)) return readHdf5(bytes);
  if (/\.npz$/i.test(name)) return readNpz(bytes);
  const text = () => new TextDecoder().decode(bytes);
  if (/\.csv$/i.test(name)) return readCsv(text());
  if (/\.json$/i.test(name) && /"columns"\s*:/.test(text())) return readJson(text());
  return null;
}
