// What a person can do, by name: buttons, keys and the tour all go through here.
import type { Lab } from './lab/lab';
import type { Point } from './engine/protocol';
import type { View } from './view/view';
import { dampingOf, gravityOf, isElastic, setDamping, setElastic, setGravity, setStiffness, simulationOf, stiffnessOf } from './scene/document';
import { keep } from './kept';
import { noteFirst, presentLook, takeLook, type Look } from './look';
import * as store from './store';
import { t } from './texts';

let lab: Lab;
let view: View;

export function connect(theLab: Lab, theView: View) {
  lab = theLab;
  view = theView;
  lab.look = () => JSON.stringify(presentLook());
  noteFirst();
}
export const theLab = () => lab;
export const theView = () => view;

export const mostLinks = 2000;
export const slowest = 0.001; // as may be typed; the slider ends at 0.1

export function linkCount(): number {
  return store.description.value?.chains.reduce((sum, chain) => sum + chain.length.length, 0) ?? 0;
}

export function isSpatial(): boolean {
  const description = store.description.value;
  return !!description && (description.coordinates.length > 2 || (description.coordinates.length === 0 && !view.planar));
}

export function hasDamping(): boolean {
  return !!store.info.value?.schema.properties?.chain?.properties?.velocity_damping;
}

export async function setLinks(n: number) {
  const links = Math.round(Math.min(mostLinks, Math.max(1, n)));
  const doc = store.scene.value;
  const elastic = isElastic(doc);
  await lab.newChain({
    links,
    elastic,
    stiffness: stiffnessOf(doc) ?? store.stiffness.value,
    gravity: gravityOf(doc),
    damping: hasDamping() ? dampingOf(doc) : 0,
  });
}

export const changeGravity = (g: number) => lab.edit((doc) => setGravity(doc, g));
export const changeDamping = (rate: number) => lab.edit((doc) => setDamping(doc, rate));

export function changeStiffness(k: number) {
  store.stiffness.value = k;
  return isElastic(store.scene.value) ? lab.edit((doc) => setStiffness(doc, k)) : Promise.resolve(null);
}

export async function changeElastic(elastic: boolean) {
  lab.lastChange = null;
  await lab.edit((doc) => setElastic(doc, elastic, store.stiffness.value));
  store.conversion.value = lab.lastChange;
}

export function changeSimulation(values: Record<string, string | number | undefined>) {
  return lab.edit((doc) => {
    const simulation = simulationOf(doc);
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined) delete simulation[key];
      else simulation[key] = value;
    }
  });
}

export async function chooseMethod(name: string) {
  const method = store.info.value?.methods.find((one) => one.name === name);
  if (!method) return;
  const before = simulationOf(store.scene.value);
  await changeSimulation({
    method: name,
    order: undefined,
    tolerance: method.adaptive ? ((before.tolerance as number | undefined) ?? Math.max(1e-12, method.tolerance)) : undefined,
    step: method.adaptive ? undefined : ((before.step as number | undefined) ?? 0.005),
  });
}

export function toggleRun() {
  if (store.running.value) void lab.stop();
  else lab.run();
}

export const undo = async () => lookAs(await lab.undo());
export const redo = async () => lookAs(await lab.redo());
export const stepForward = () => lab.step(1);
export const stepBack = () => lab.step(-1);
export const reset = (asDragged: boolean) => lab.reset(asDragged);

export function setMode(mode: '2d' | '3d') {
  store.mode.value = mode;
  view.setMode(mode);
}

function lookAs(look: string | null) {
  if (look) takeLook(JSON.parse(look) as Look);
}

export function setTrace(on: boolean) {
  store.trace.value = on;
  view.trails.mesh.userData.on = on;
}

export function setNotes(notes: typeof store.notes.value) {
  store.notes.value = notes;
  view.setNotes(notes);
}

// The whole way of points of bodies, with what the engine knows of the past.
export function mark(...points: { body: number; point: Point }[]) {
  for (const { body, point } of points) view.mark(body, point);
  store.marks.value = view.trails.curves.marks.length;
  store.marking.value = false;
  void lab.past.traceAgain();
}

export function removeMarks() {
  view.trails.curves.removeAll();
  store.marks.value = 0;
}

export function setSpeed(speed: number) {
  store.speed.value = Math.min(10, Math.max(slowest, speed));
}

// How a scene that was just loaded is looked at. Those that last for parts of a second are made to last five; after
// them, time runs as ever.
export function lookAtScene() {
  setMode(isSpatial() ? '3d' : '2d');
  store.marks.value = view.trails.curves.marks.length;
  const duration = Number(simulationOf(store.scene.value).duration ?? 10);
  if (duration < 1) setSpeed(Number((duration / 5).toPrecision(1)));
  else if (store.speed.value < 0.1) setSpeed(1);
}

export function toggleGhost() {
  return lab.setGhosts(store.ghosts.value.length ? [] : [{ offset: 1e-3, method: '' }]);
}

export function setTheme(theme: store.Theme) {
  store.theme.value = theme;
  document.documentElement.dataset.theme = theme;
  keep('theme', theme);
  view.setDark(theme === 'dark');
}

// What keys can move: bobs, then bodies that are not fixed.
function handles(): number[] {
  const links = linkCount();
  const bodies = store.description.value?.bodies ?? [];
  return [...Array(links).keys(), ...bodies.flatMap(({ fixed }, body) => (fixed ? [] : [links + body]))];
}

// The thing under the pointer, on the stage or in an equation; it shines while nothing else does.
export function point(thing: number | null) {
  if (thing === store.pointed.value) return;
  store.pointed.value = thing;
  if (store.selected.value === null && store.dragging.value === null) view.setGlow(thing);
}

// The next one, or none after the last.
export function selectNext(by: 1 | -1 = 1) {
  const all = handles();
  const now = store.selected.value;
  const next = now === null ? (by > 0 ? 0 : all.length - 1) : all.indexOf(now) + by;
  store.selected.value = all[next] ?? null;
  view.setGlow(store.selected.value);
}

export function whereIs(index: number): { chain: number; link: number } {
  let link = index;
  const chains = store.description.value?.chains ?? [];
  for (let chain = 0; chain < chains.length; chain++) {
    const n = chains[chain]!.length.length;
    if (link < n) return { chain, link };
    link -= n;
  }
  return { chain: 0, link: 0 };
}

// To the right, away and up. A planar chain leaves its plane only where one sees that, in 3D.
export async function nudge(right: number, away: number, up: number, fine: boolean) {
  const index = store.selected.value;
  if (index === null) return;
  const body = index - linkCount();
  const { chain, link } = whereIs(index);
  const info = body < 0 ? store.description.value!.chains[chain]! : undefined;
  const step = (fine ? 0.01 : 0.08) * (info ? info.length[link]! : 0.5 * view.size);
  const azimuth = info?.planar ? info.azimuth : 0;
  const [c, s] = [Math.cos(azimuth), Math.sin(azimuth)];
  const [x, y, z] = view.placeOf(index);
  const target: Point = [x + step * (right * c - away * s), y + step * (right * s + away * c), z + step * up];
  await lab.hand.hold();
  await lab.hand.drag(info ? { chain, link, may_leave_plane: store.mode.value === '3d' } : { body, point: [0, 0, 0] }, target);
  await lab.hand.release();
}

// What is selected, in words.
export function selectedName(): string {
  const body = store.selected.value! - linkCount();
  return body < 0 ? t('bob.name', { link: store.selected.value! + 1 }) : (store.description.value?.bodies[body]?.name ?? '');
}

// Given by formulas, a Lagrangian or equations: nothing of it has a place in space.
export function isByFormulas(): boolean {
  return (store.description.value?.coordinates.length ?? 0) > 0;
}

export const isFirstOrder = () => store.description.value?.first_order ?? false;

// Another number in the formulas.
export const changeParameter = (name: string, value: number) =>
  lab.edit((doc) => {
    const table = (doc.equations ?? doc.lagrangian) as { parameters?: Record<string, number> };
    table.parameters = { ...table.parameters, [name]: value };
  });

export function hasChains(): boolean {
  return (store.description.value?.chains.length ?? 1) > 0;
}

// For whoever shows it to others: the stage alone, with large type.
export function togglePresenting() {
  const root = document.documentElement;
  if (root.dataset.presenting) delete root.dataset.presenting;
  else root.dataset.presenting = 'yes';
  view.resize();
}

export async function explode() {
  store.openPanel.value = 'learn';
  await chooseMethod('euler');
  await changeSimulation({ step: 1 / 60 });
  store.notify('info', t('notice.euler'));
  lab.run();
}

export async function heal() {
  await changeSimulation({ method: 'taylor', step: undefined, tolerance: 1e-12 });
  await lab.reset(true);
  lab.run();
}
