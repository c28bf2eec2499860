// Files that are dropped or chosen: scenes go to the core, recorded runs are shown.
import * as actions from '../actions';
import * as store from '../store';
import { t } from '../texts';
import { openMoment } from './share';
import { LaterVersion, readRun } from './runs';
import { closeTrajectory, openTrajectory, trajectory } from './trajectory';

const largest = 200e6;

const slowBytes = 4e6; // files that take a while

// Read piece by piece, so that the page can say how far it has got.
async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(file.size);
  const reader = file.stream().getReader();
  let at = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return out;
      out.set(value, at);
      at += value.length;
      if (file.size > slowBytes) {
        store.reading.value = { name: file.name, part: at / file.size };
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  } finally {
    store.reading.value = null;
  }
}

function whyNot(name: string, error: unknown): string {
  if (error instanceof LaterVersion) return t('notice.later-run', { name, theirs: error.version, ours: store.info.value?.version ?? '' });
  return t('notice.bad-run', { name, reason: error instanceof Error ? error.message : String(error) });
}

export async function openFile(file: File) {
  if (file.size > largest) {
    store.notify('mistake', t('notice.too-large', { name: file.name }));
    return;
  }
  const bytes = await bytesOf(file);
  try {
    const run = await readRun(file.name, bytes, store.info.value?.version ?? '');
    if (run) {
      await openTrajectory(file.name, run);
      return;
    }
  } catch (error) {
    store.notify('mistake', whyNot(file.name, error));
    return;
  }
  const text = new TextDecoder().decode(bytes);
  if (trajectory.value) closeTrajectory();
  await actions.theLab().stop();
  if ((await openMoment(text)) !== null) return;
  if (await actions.theLab().load(text, file.name.replace(/\.[^.]*$/, ''), file.name)) actions.lookAtScene();
}

export function listenForDrops(target: HTMLElement) {
  target.addEventListener('dragover', (event) => {
    event.preventDefault();
    target.classList.add('dropping');
  });
  target.addEventListener('dragleave', () => target.classList.remove('dropping'));
  target.addEventListener('drop', (event) => {
    event.preventDefault();
    target.classList.remove('dropping');
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file);
  });
}
