// Recorded runs by the ending of their files.
import { isHdf5, readHdf5 } from './hdf5';
import { readNpz } from './npz';
import type { RecordedRun } from './run';
import { readCsv, readJson } from './text';

export { LaterVersion, type RecordedRun } from './run';

// The run in a file, or null where it is something else: a scene. Throws where it is damaged, or of a later version
// than `own`, that of this page.
export async function readRun(name: string, bytes: Uint8Array<ArrayBuffer>, own: string): Promise<RecordedRun | null> {
  if (/\.(h5|hdf5)$/i.test(name) || isHdf5(bytes)) return readHdf5(bytes, own);
  if (/\.npz$/i.test(name)) return readNpz(bytes, own);
  const text = () => new TextDecoder().decode(bytes);
  if (/\.csv$/i.test(name)) return readCsv(text(), own);
  if (/\.json$/i.test(name) && /"columns"\s*:/.test(text())) return readJson(text(), own);
  return null;
}
