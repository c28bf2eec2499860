// What leaves the page: rows as CSV, a picture, a film, the scene.
import * as actions from '../actions';
import { sceneFromHere } from '../scene/document';
import { runCommand, toToml } from '../scene/toml';
import * as store from '../store';
import { t } from '../texts';

function nameOf(ending: string): string {
  return `${store.presetName.value || 'chain'}.${ending}`;
}

export function saveFile(content: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The rows of the last seconds, with the columns of `catena run`.
export function csvText(): string {
  const { layout, rows } = actions.theLab();
  const names = layout.names();
  const lines = [`# catena ${store.info.value?.version}`, `# scene: ${JSON.stringify(store.scene.value)}`, names.join(',')];
  for (const row of rows.rows) lines.push(Array.from(row.subarray(0, names.length), String).join(',').replaceAll('NaN', 'nan'));
  return `${lines.join('\n')}\n`;
}

export function saveCsv() {
  saveFile(new Blob([csvText()], { type: 'text/csv' }), nameOf('csv'));
}

// The scene's whole run with all quantities and events, from its start.
export async function saveRun() {
  saveFile(new Blob([await actions.theLab().wholeRun()], { type: 'text/csv' }), nameOf('run.csv'));
}

export function savePicture() {
  const { canvas } = actions.theView();
  actions.theView().render();
  // On the page's own background: the canvas itself is transparent.
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext('2d')!;
  pen.fillStyle = getComputedStyle(canvas.parentElement!).getPropertyValue('--stage') || '#fff';
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => blob && saveFile(blob, nameOf('png')), 'image/png');
}

let recorder: MediaRecorder | undefined;

export function toggleFilm() {
  if (recorder) {
    recorder.stop();
    return;
  }
  const { canvas } = actions.theView();
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((one) => MediaRecorder.isTypeSupported(one));
  if (!type) {
    store.notify('warning', t('notice.no-film'));
    return;
  }
  const parts: Blob[] = [];
  recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 8_000_000 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.onstop = () => {
    saveFile(new Blob(parts, { type: 'video/webm' }), nameOf('webm'));
    recorder = undefined;
    store.recording.value = false;
  };
  recorder.start(500);
  store.recording.value = true;
}

// The scene that starts where the motion is. Joints and pivots that move are written for the start: scenes with them stay
// as they are, and the page says so.
export function sceneHere() {
  const { layout, row } = actions.theLab();
  const { bodies, chains } = store.description.value!;
  if (bodies.length || chains.some(({ moving }) => moving) || actions.isLagrangian()) {
    store.notify('info', t('notice.from-start'));
    return store.scene.value;
  }
  return sceneFromHere(store.scene.value, store.description.value!, layout, row);
}

export function saveScene() {
  saveFile(new Blob([toToml(store.scene.value)], { type: 'application/toml' }), nameOf('toml'));
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    store.notify('info', t('notice.copied'));
  } catch {
    store.notify('warning', t('notice.no-clipboard'));
  }
}

export const copyToml = () => copy(toToml(sceneHere()));
export const copyCommand = () => copy(runCommand(sceneHere(), store.presetName.value || 'chain'));
export const copyText = copy;
