// Drawing on the stage: a tool, what a hand does with it, and what becomes of the scene. The engine judges every drawing; what it
// refuses is said at the part concerned, and the scene stays as it was.
import { computed, effect, signal } from '@preact/signals';
import * as actions from '../actions';
import type { JointKind, Point, SceneDocument } from '../engine/protocol';
import { trajectory } from '../files/trajectory';
import { drawnSource } from '../lab/lab';
import * as edits from '../scene/build';
import { Refusal, type BodyTool, type Part } from '../scene/build';
import { chainsOf } from '../scene/document';
import { added, distance, front, isSame, normalOf, placeOf, type Plane } from '../scene/space';
import { partAtLine, toToml } from '../scene/toml';
import * as store from '../store';
import { t } from '../texts';
import { gridStep, snap, type Snapped } from './snapping';

// Tools that draw from one place to another, those that need one place, and those that take what is there. Kinds of joints are the
// engine's own.
export const bodyTools: BodyTool[] = ['bar', 'plate', 'wheel', 'box', 'point'];
export const tieTools = ['spring', 'damper', 'rope', 'chain', 'link'] as const;
export const otherTools = ['ground', 'motor', 'curve', 'centre'] as const;
export type Tool = 'select' | BodyTool | (typeof tieTools)[number] | (typeof otherTools)[number] | `joint:${string}`;

export const tool = signal<Tool>('bar');
export const selection = signal<Part[]>([]);
export const several = signal(false); // a tap adds to what is selected
export const draft = signal<{ from: Point; to: Snapped } | null>(null); // on its way
export const hovered = signal<Snapped | null>(null);
export const refusal = signal<{ at: Point; text: string } | null>(null);
export const tied = signal<number | null>(null); // the first joint of two
export const plane = signal<Plane>(front); // that is drawn on

export const building = computed(() => store.openPanel.value === 'build' && !trajectory.value);
// Drawings are of the start: while something moves, hands do what they always do.
export const drawing = computed(() => building.value && !store.running.value && store.standing.value.tick === 0);

export const jointKinds = (): JointKind[] => store.info.value?.joints ?? [];
const kindOf = (name: string) => jointKinds().find((kind) => kind.name === name)!;

// Whoever opens the tools draws: the motion stands at its start.
export function watchTools() {
  effect(() => {
    const on = building.value;
    actions.theView().standStill(on);
    if (!on) setTool('select');
  });
}

export async function backToStart() {
  await actions.theLab().stop();
  if (store.standing.value.tick !== 0 || store.standing.value.begin !== 0) await actions.theLab().reset(false);
}

export async function openTools() {
  store.openPanel.value = 'build';
  store.sheetOpen.value = true;
  actions.theView().standStill(true);
  await backToStart();
}

// An empty page; what was there before can be had again by undo.
export async function startEmpty() {
  await actions.theLab().stop();
  actions.theView().standStill(false);
  if (!(await actions.theLab().loadDocument(edits.emptyScene(), 'drawing'))) return;
  plane.value = front;
  actions.setMode('2d');
  actions.setSpeed(1);
  await openTools();
  selection.value = [];
  setTool('bar');
}

export function setTool(which: Tool) {
  tool.value = which;
  tied.value = draft.value = hovered.value = null;
  refusal.value = null;
}

// Another plane than the one in front is seen from elsewhere.
export function setPlane(next: Plane) {
  if (next.across !== 1) actions.setMode('3d');
  plane.value = next;
  draft.value = hovered.value = null;
}

// ---- what becomes of the scene ---------------------------------------------------------------------------------

const usual = () => 4 * gridStep(actions.theView().pixelsPerMetre); // size of what is tapped
const near = (pixels: number) => pixels / actions.theView().pixelsPerMetre;
const axisOf = (from: Point, to: Point): Point => (isSame(from, to) ? [1, 0, 0] : (added(to, from, -1).map((c) => c / distance(from, to)) as Point));

// Where a part is, for what is said of it.
export function placeOfPart(doc: SceneDocument, { list, index, link }: Part): Point | null {
  if (list === 'bodies') return placeOf(edits.listOf(doc, 'bodies')[index]!);
  if (list === 'chains') return link === undefined ? edits.pivotPlace(doc, index) : (edits.linkEnds(doc, index)[link]?.to ?? null);
  const places = edits.placesOf(doc).filter((place) => place.list === list && place.index === index);
  return places.length ? (places.reduce<Point>((sum, { at }) => added(sum, at, 1 / places.length), [0, 0, 0])) : null;
}

// A mistake without the file's name, and where it belongs: to the part whose lines it names.
function said(text: string, drawn: SceneDocument): { text: string; at: Point | null } {
  const place = new RegExp(`^${drawnSource.replace('.', '\\.')}(?::(\\d+))?(?::(\\d+))?:?\\s*`).exec(text);
  const part = place?.[1] ? partAtLine(toToml(drawn), Number(place[1])) : null;
  return { text: place ? text.slice(place[0].length) : text, at: part && placeOfPart(drawn, part) };
}

function refuse(text: string, at: Point) {
  refusal.value = { text, at };
}

// Draws the scene anew. Whether it was taken.
export async function draw(make: () => SceneDocument | { doc: SceneDocument }, at: Point): Promise<boolean> {
  let drawn: SceneDocument;
  try {
    const made = make();
    drawn = 'doc' in made && typeof made.doc === 'object' ? (made as { doc: SceneDocument }).doc : (made as SceneDocument);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    refuse(t(error.key), error.at);
    return false;
  }
  const mistakes = await actions.theLab().build(drawn);
  if (!mistakes) {
    refusal.value = null;
    return true;
  }
  const first = said(mistakes[0] ?? '', drawn);
  refuse(mistakes.map((text) => said(text, drawn).text).join('\n'), first.at ?? at);
  return false;
}

const select = (...parts: Part[]) => {
  selection.value = parts;
};

const scene = () => store.scene.value;

async function drawBody(which: BodyTool, from: Point, to: Point) {
  if (which === 'bar' && isSame(from, to)) return refuse(t('build.zero'), from);
  const made = edits.addBody(scene(), which, from, to, usual(), kindOf('revolute'), plane.value);
  if (await draw(() => made, to)) select({ list: 'bodies', index: edits.listOf(scene(), 'bodies').findIndex((body) => body.name === made.name) });
}

async function drawJoint(kind: JointKind, from: Point, to: Point, reach: number) {
  if (kind.place === 'ends' && isSame(from, to)) return refuse(t('build.zero'), from);
  let index = -1;
  const make = () => {
    const made = kind.place === 'ends' ? edits.addRod(scene(), kind, from, to, reach) : edits.addJoint(scene(), kind, edits.pairAt(scene(), from, reach), from, edits.slides(kind) ? axisOf(from, to) : normalOf(plane.value));
    index = made.index;
    return made;
  };
  if (await draw(make, from)) select({ list: 'joints', index });
}

const jointsAt = (at: Point, reach: number) => [...new Set(edits.placesOf(scene()).filter((place) => place.list === 'joints' && distance(place.at, at) <= reach).map(({ index }) => index))];

async function tapTie(kind: JointKind, at: Point, reach: number) {
  const found = jointsAt(at, reach).at(-1);
  if (found === undefined) return refuse(t('build.no-joint-here'), at);
  if (tied.value === null) {
    tied.value = found;
    return;
  }
  const first = tied.value;
  tied.value = null;
  let index = -1;
  const make = () => {
    const made = edits.addTie(scene(), kind, first, found);
    index = made.index;
    return made;
  };
  if (await draw(make, at)) select({ list: 'joints', index });
}

// Pinned to the ground where it is not yet.
async function tapGround(at: Point, reach: number, driven: boolean) {
  const moved = (index: number) => kindOf(String(edits.listOf(scene(), 'joints')[index]!.kind))?.coordinate ?? 'none';
  const there = driven ? jointsAt(at, reach).filter((index) => ['angle', 'travel'].includes(moved(index))) : [];
  let index = there.find((one) => (edits.listOf(scene(), 'joints')[one]!.bodies as string[]).includes(edits.ground)) ?? there.at(-1) ?? -1;
  const make = () => {
    if (index >= 0 && edits.listOf(scene(), 'joints')[index]!.motor) throw new Refusal('build.driven-here', at);
    if (index >= 0) return edits.setMotor(scene(), index, newMotor(moved(index)));
    const made = edits.addJoint(scene(), kindOf('revolute'), groundPair(at, reach), at, normalOf(plane.value).map((c) => -c) as Point);
    index = made.index;
    return driven ? edits.setMotor(made.doc, index, newMotor('angle')) : made.doc;
  };
  if (await draw(make, at)) select({ list: 'joints', index });
}

function groundPair(at: Point, reach: number): [string, string] {
  const body = edits.bodiesAt(scene(), at, reach)[0];
  if (body === undefined) throw new Refusal('build.nothing-here', at);
  const held = jointsAt(at, reach).some((index) => (edits.listOf(scene(), 'joints')[index]!.bodies as string[] | undefined)?.includes(edits.ground));
  if (held) throw new Refusal('build.joined-here', at);
  return [edits.ground, body];
}

export const newMotor = (coordinate: string): Record<string, string> => (coordinate === 'travel' ? { travel: '0.2*sin(2*t)' } : { angle: '3*t' });

// The whole way of a point of a body, from now on.
export function trace(body: number, at: Point) {
  const info = store.description.value?.bodies[body];
  const doc = edits.listOf(scene(), 'bodies')[body];
  if (info && doc) actions.mark({ body, point: edits.inBody(doc, at) });
}

async function act(which: Tool, from: Point, to: Point, reach: number) {
  const kind = which.startsWith('joint:') ? kindOf(which.slice(6)) : null;
  if (kind) return kind.place === 'ties' ? tapTie(kind, from, reach) : drawJoint(kind, from, to, reach);
  switch (which) {
    case 'bar': case 'plate': case 'wheel': case 'box': case 'point':
      return drawBody(which, from, to);
    case 'ground': case 'motor':
      return tapGround(from, reach, which === 'motor');
    case 'curve': {
      const body = edits.bodiesAt(scene(), from, reach)[0];
      if (body === undefined) return refuse(t('build.nothing-here'), from);
      return trace(edits.listOf(scene(), 'bodies').findIndex((one) => one.name === body), from);
    }
    case 'spring': case 'damper': {
      if (isSame(from, to)) return refuse(t('build.zero'), from);
      let index = -1;
      const values: Record<string, number> = which === 'spring' ? { stiffness: 100 } : { damping: 5 };
      const make = () => {
        const made = edits.addSpring(scene(), from, to, reach, values);
        index = made.index;
        return made;
      };
      if (await draw(make, from)) select({ list: 'forces', index });
      return;
    }
    case 'link': case 'chain': case 'rope': {
      if (isSame(from, to)) return refuse(t('build.zero'), from);
      let part: Part = { list: 'chains', index: 0 };
      const make = () => {
        const made = which === 'link' ? edits.addLink(scene(), from, to, reach) : edits.addChain(scene(), from, to, reach, which === 'rope');
        part = { list: 'chains', index: made.chain, ...('link' in made ? { link: Number(made.link) } : {}) };
        return made;
      };
      if (await draw(make, from)) select(part);
    }
  }
}

// By numbers, from the panel.
export const actByNumbers = (from: Point, to: Point) => act(tool.value, from, to, near(8));

// ---- hands -----------------------------------------------------------------------------------------------------

interface Gesture {
  pointer: number;
  from: Point;
  doc: SceneDocument; // as it was when the hand took hold
  moved: boolean;
  carry: ((to: Point) => SceneDocument) | null; // what a hand that takes something does with it; null: it draws
}

let gesture: Gesture | null = null;
const reachOf = (event: PointerEvent) => near(event.pointerType === 'touch' ? 22 : 13);

// How far a place is seen from a point of the screen, in metres.
const farFrom = (x: number, y: number) => {
  const view = actions.theView();
  return (point: Point) => {
    const seen = view.seenAt(point);
    return Math.hypot(seen.x - x, seen.y - y) / view.pixelsPerMetre;
  };
};

const nearestOf = <T,>(all: T[], far: (one: T) => number, within: number): T | undefined => all.reduce<T | undefined>((best, one) => (far(one) < (best === undefined ? within : far(best)) ? one : best), undefined);

// Where a hand that draws means: a point that is seen there, however deep, or a place on the plane. What is carried stays as deep as it is.
function snapAt(x: number, y: number, event: PointerEvent, from: Point | null, carried: Point | null = null): Snapped {
  const view = actions.theView();
  const on = carried ? { ...plane.value, at: carried[plane.value.across] } : plane.value;
  const raw = view.onPlane(x, y, on) ?? view.under(x, y, carried ?? from ?? [0, 0, 0]);
  if (event.altKey) return { at: raw, to: 'none' };
  const points = edits.snapPoints(scene()).filter((point) => !carried || !isSame(carried, point));
  const nearest = nearestOf(points, farFrom(x, y), reachOf(event));
  return nearest ? { at: nearest, to: 'point' } : snap(raw, from, gridStep(view.pixelsPerMetre), on);
}

interface Taken {
  parts: Part[];
  at: Point;
  carry: NonNullable<Gesture['carry']>;
}

// What a hand takes hold of there, with what it does with it.
function takenAt(x: number, y: number, reach: number): Taken | null {
  const doc = scene();
  const far = farFrom(x, y);
  const nearest = nearestOf(edits.placesOf(doc), ({ at }) => far(at), reach);
  if (nearest) return { parts: [{ list: nearest.list, index: nearest.index }], at: nearest.at, carry: (to) => edits.movePoint(doc, nearest.at, to) };
  const link = nearestOf(edits.linksOf(doc), ({ to }) => far(to), reach);
  if (link) return { parts: [{ list: 'chains', index: link.index, link: link.link }], at: link.to, carry: (place) => edits.moveLink(doc, link.index, link.link, place) };
  const bodies = edits.listOf(doc, 'bodies');
  for (let index = bodies.length - 1; index >= 0; index--) {
    const body = bodies[index]!;
    const end = edits.isBar(body) && edits.endsOf(body).find((one) => far(one) <= reach);
    if (end) return { parts: [{ list: 'bodies', index }], at: end, carry: (to) => edits.movePoint(doc, end, to) };
  }
  return takenBody(x, y, reach / 2);
}

function takenBody(x: number, y: number, reach: number): Taken | null {
  const doc = scene();
  const bodies = edits.listOf(doc, 'bodies');
  const index = bodies.findLastIndex((body) => !edits.isHolder(body) && edits.isOn(body, actions.theView().under(x, y, placeOf(body)), reach));
  if (index < 0) return null;
  const part: Part = { list: 'bodies', index };
  const chosen = selection.value.some((one) => edits.isPart(one, part)) ? selection.value.filter(({ list }) => list === 'bodies').map((one) => edits.nameOf(bodies[one.index])) : [edits.nameOf(bodies[index])];
  const at = placeOf(bodies[index]!);
  return { parts: [part], at, carry: (to) => edits.moveBodies(doc, chosen, added(to, at, -1)) };
}

function takenCentre(x: number, y: number, reach: number): Taken | null {
  const far = farFrom(x, y);
  const found = nearestOf(edits.centresOf(scene()), ({ at }) => far(at), reach);
  return found ? { parts: [found.part], at: found.at, carry: found.move } : null;
}

function choose(parts: Part[], add: boolean) {
  const [one] = parts;
  if (!one) return;
  const has = selection.value.some((part) => edits.isPart(part, one));
  if (add) selection.value = has ? selection.value.filter((part) => !edits.isPart(part, one)) : [...selection.value, one];
  else if (!has) selection.value = parts;
}

// Tools that take what is there; others draw.
const takesHold = (which: Tool) => which === 'select' || which === 'centre';

// Whether the tool takes what this pointer does; else the picture is moved.
export function down(x: number, y: number, event: PointerEvent): boolean {
  if (!drawing.value) return false;
  refusal.value = null;
  if (!takesHold(tool.value)) {
    const from = snapAt(x, y, event, null);
    gesture = { pointer: event.pointerId, from: from.at, doc: scene(), moved: false, carry: null };
    draft.value = { from: from.at, to: from };
    return true;
  }
  const taken = tool.value === 'centre' ? takenCentre(x, y, reachOf(event)) : takenAt(x, y, reachOf(event));
  if (!taken) {
    if (!several.value) selection.value = [];
    return false;
  }
  choose(taken.parts, event.shiftKey || several.value);
  gesture = { pointer: event.pointerId, from: taken.at, doc: scene(), moved: false, carry: taken.carry };
  return true;
}

// A second finger moves the picture: what was being drawn is none.
export function cancel() {
  gesture = null;
  draft.value = null;
}

export function move(x: number, y: number, event: PointerEvent): boolean {
  if (!gesture) {
    hovered.value = drawing.value && !takesHold(tool.value) && event.pointerType === 'mouse' ? snapAt(x, y, event, null) : null;
    return false;
  }
  if (event.pointerId !== gesture.pointer) return false;
  const { from, carry } = gesture;
  const to = snapAt(x, y, event, carry ? null : from, carry ? from : null);
  if (!carry) {
    gesture.moved = true;
    draft.value = { from, to };
    return true;
  }
  gesture.moved ||= distance(to.at, from) > 1e-9;
  hovered.value = to;
  if (gesture.moved) void draw(() => carry(to.at), to.at);
  return true;
}

export function up(event: PointerEvent): boolean {
  if (!gesture || event.pointerId !== gesture.pointer) return false;
  const { from, carry } = gesture;
  const to = draft.value?.to.at ?? from;
  gesture = null;
  draft.value = hovered.value = null;
  if (!carry && event.type === 'pointerup') void act(tool.value, from, to, reachOf(event));
  return true;
}

// ---- what is selected ------------------------------------------------------------------------------------------

export const bodiesSelected = () => selection.value.filter(({ list }) => list === 'bodies').map(({ index }) => edits.nameOf(edits.listOf(scene(), 'bodies')[index]));

const middle = (names: string[]): Point => names.map((name) => placeOf(edits.bodyOf(scene(), name)!)).reduce<Point>((sum, at) => added(sum, at, 1 / names.length), [0, 0, 0]);

export async function removeSelected() {
  const parts = selection.value;
  if (parts.length && (await draw(() => edits.without(scene(), parts), placeOfPart(scene(), parts[0]!) ?? [0, 0, 0]))) selection.value = [];
}

export async function copySelected(mirrored: boolean) {
  const names = bodiesSelected();
  if (!names.length) return;
  const step = usual() / 2;
  const right = Math.max(...names.flatMap((name) => edits.handlesOf(edits.bodyOf(scene(), name)!).map(([x]) => x)));
  const place = (at: Point): Point => (mirrored ? [2 * right - at[0], at[1], at[2]] : [at[0] + step, at[1], at[2] - step]);
  let made: string[] = [];
  const make = () => {
    const out = edits.copied(scene(), names, place, mirrored);
    made = out.names;
    return out;
  };
  if (await draw(make, middle(names))) selection.value = made.map((name) => ({ list: 'bodies', index: edits.listOf(scene(), 'bodies').findIndex((body) => body.name === name) }));
}

export async function weldSelected() {
  const names = bodiesSelected();
  if (names.length > 1) await draw(() => edits.welded(scene(), names, kindOf('fixed')), middle(names));
}

// ---- what is said of the drawing -------------------------------------------------------------------------------

export interface Hint {
  key: string;
  part: Part;
  values: Record<string, string | number>;
}

// What is missing or more than needed, at the parts concerned.
export const hints = computed<Hint[]>(() => {
  const [doc, facts] = [store.scene.value, store.description.value?.constraints];
  const out: Hint[] = [];
  const places = edits.placesOf(doc);
  edits.listOf(doc, 'bodies').forEach((body, index) => {
    const name = edits.nameOf(body);
    if (!edits.isHolder(body) && body.fixed !== true && !places.some((place) => place.body === name)) out.push({ key: 'build.hint.free', part: { list: 'bodies', index }, values: { name } });
  });
  edits.listOf(doc, 'joints').forEach((joint, index) => {
    const name = edits.nameOf(joint);
    const count = facts?.redundant[name];
    if (count) out.push({ key: 'build.hint.redundant', part: { list: 'joints', index }, values: { name, count } });
  });
  const driven = edits.listOf(doc, 'joints').findIndex((joint) => joint.motor !== undefined);
  const first = edits.listOf(doc, 'joints').length - 1;
  if (store.description.value?.degrees_of_freedom === 0 && driven < 0 && first >= 0) out.push({ key: 'build.hint.stuck', part: { list: 'joints', index: first }, values: {} });
  return out;
});

export const hasChains = () => chainsOf(scene()).length > 0;

// For tests: the grid that hands are drawn to, m.
export const gridOf = () => gridStep(actions.theView().pixelsPerMetre);

// The scene as a file says it.
export const textOf = (doc: SceneDocument) => toToml(doc);
