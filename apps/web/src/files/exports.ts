// What leaves the page: rows as CSV, a picture, a film, the scene.
import * as actions from '../actions';
import { ticksPerSecond, timeScale } from '../rows';
import { sceneFromHere } from '../scene/document';
import { momentText } from './share';
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

// The rows of the seconds that plots show, all of them, with the columns of `catena run`.
export async function csvText(): Promise<string> {
  const lab = actions.theLab();
  const { begin, end } = store.standing.value;
  const table = await lab.table(Math.max(begin, end - Math.round(40 * timeScale * ticksPerSecond)), end);
  const lines = [`# catena ${store.info.value?.version}`, `# scene: ${JSON.stringify(store.scene.value)}`, lab.layout.names().join(',')];
  const { width, rows } = table ?? { width: 1, rows: new Float64Array() };
  for (let at = 0; at < rows.length; at += width) lines.push(Array.from(rows.subarray(at, at + width), String).join(',').replaceAll('NaN', 'nan'));
  return `${lines.join('\n')}\n`;
}

export async function saveCsv() {
  saveFile(new Blob([await csvText()], { type: 'text/csv' }), nameOf('csv'));
}

// The scene's whole run with all quantities and events, from its start.
export async function saveRun() {
  saveFile(new Blob([await actions.theLab().wholeRun()], { type: 'text/csv' }), nameOf('run.csv'));
}

const evenly = (pixels: number) => Math.max(2, pixels - (pixels % 2));

// The picture on the page's own background: the canvas itself is transparent.
function paintOver(copy: HTMLCanvasElement) {
  const { canvas } = actions.theView();
  const pen = copy.getContext('2d')!;
  pen.fillStyle = getComputedStyle(canvas.parentElement!).getPropertyValue('--stage') || '#fff';
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
}

export function savePicture() {
  const { canvas } = actions.theView();
  actions.theView().render();
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  paintOver(copy);
  copy.toBlob((blob) => blob && saveFile(blob, nameOf('png')), 'image/png');
}

const filmTypes = ['video/mp4;codecs=avc1.42E01F', 'video/mp4', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
let recorder: MediaRecorder | undefined;

// Films what the page shows, its background too. Encoders want an even number of pixels.
export function toggleFilm() {
  if (recorder) {
    recorder.stop();
    return;
  }
  const { canvas } = actions.theView();
  const type = filmTypes.find((one) => MediaRecorder.isTypeSupported(one));
  if (!type) {
    store.notify('warning', t('notice.no-film'));
    return;
  }
  const copy = document.createElement('canvas');
  copy.width = evenly(canvas.width);
  copy.height = evenly(canvas.height);
  paintOver(copy);
  const parts: Blob[] = [];
  const ending = type.startsWith('video/mp4') ? 'mp4' : 'webm';
  const film = new MediaRecorder(copy.captureStream(60), { mimeType: type, videoBitsPerSecond: 8_000_000 });
  recorder = film;
  const paint = () => {
    if (recorder !== film) return;
    paintOver(copy);
    requestAnimationFrame(paint);
  };
  film.ondataavailable = ({ data }) => parts.push(data);
  film.onstop = () => {
    saveFile(new Blob(parts, { type: type.split(';')[0]! }), nameOf(ending));
    recorder = undefined;
    store.recording.value = false;
  };
  film.start(500);
  requestAnimationFrame(paint);
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

// What is on the screen as a file: chains as a scene that starts here; what cannot be written so, as this very moment,
// which the page opens like a scene.
export async function saveAsSeen() {
  const { bodies, chains } = store.description.value!;
  if (bodies.length || chains.some(({ moving }) => moving) || actions.isLagrangian()) {
    saveFile(new Blob([await momentText()], { type: 'application/json' }), nameOf('moment.json'));
  } else {
    saveFile(new Blob([toToml(sceneHere())], { type: 'application/toml' }), nameOf('here.toml'));
  }
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
