// What leaves the page: rows as CSV, a picture, the scene.
import * as actions from '../actions';
import { ticksPerSecond, timeScale } from '../rows';
import { sceneFromHere } from '../scene/document';
import { copyOfStage, nameOf, saveFile, savePng } from './saving';
import { momentText } from './share';
import { runCommand, toToml } from '../scene/toml';
import * as store from '../store';
import { t } from '../texts';


// The rows of the seconds that plots show, all of them, with the columns of `catena run`.
export async function csvText(): Promise<string> {
  const lab = actions.theLab();
  const { begin, end } = store.standing.value;
  const table = await lab.past.table(Math.max(begin, end - Math.round(40 * timeScale * ticksPerSecond)), end);
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

export function savePicture() {
  actions.theView().render();
  const copy = copyOfStage();
  savePng(copy, nameOf('png'));
}

// The scene that starts where the motion is. Joints and pivots that move are written for the start: scenes with them stay
// as they are, and the page says so.
export function sceneHere() {
  const { layout, row } = actions.theLab();
  const { bodies, chains } = store.description.value!;
  if (bodies.length || chains.some(({ moving }) => moving) || actions.isByFormulas()) {
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
  if (bodies.length || chains.some(({ moving }) => moving) || actions.isByFormulas()) {
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
