// How the motion is looked at: what links and reloads bring back with it, and undo as far as it belongs to a scene.
import * as actions from './actions';
import type { Point } from './engine/protocol';
import { takenPanels, wishOf, panels, type PanelWish } from './plots/panels';
import { arrowKinds, type ArrowKind } from './stage';
import * as store from './store';

export interface Look {
  mode: '2d' | '3d';
  camera: number[];
  speed: number;
  trace: boolean;
  running: boolean;
  marks?: { body: number; point: Point }[]; // of coupler curves
  shown?: Shown; // left out where it is as the page begins
}

// What is shown beside the motion, whatever scene it is of.
interface Shown {
  arrows: ArrowKind[];
  names: boolean;
  axes: boolean;
  fields: boolean;
  strains: boolean;
  plots: PanelWish[];
}

const presentShown = (): Shown => ({ arrows: store.arrows.value, ...store.notes.value, fields: store.showFields.value, strains: store.strainColors.value, plots: panels.value.map(wishOf) });

let first = '';

// As it is now is how the page begins.
export function noteFirst() {
  first = JSON.stringify(presentShown());
}

export function presentLook(running = store.running.value): Look {
  const view = actions.theView();
  const marks = view.trails.curves.marks.map(({ body, point }) => ({ body, point }));
  return { mode: store.mode.value, camera: view.camera(), speed: store.speed.value, trace: store.trace.value, running, ...(marks.length ? { marks } : {}) };
}

// With what is shown beside it, for links and reloads.
export function wholeLook(running?: boolean): Look {
  const shown = presentShown();
  return { ...presentLook(running), ...(JSON.stringify(shown) === first ? {} : { shown }) };
}

const isPoint = (value: unknown): value is Point => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);

// Whatever a link says, only what there can be is taken.
export function takeLook(look: Look) {
  actions.setMode(look.mode === '3d' ? '3d' : '2d');
  if (Array.isArray(look.camera)) actions.theView().setCamera(look.camera);
  actions.setSpeed(Number(look.speed) || 1);
  actions.setTrace(!!look.trace);
  takeMarks(look);
  if (look.shown && typeof look.shown === 'object') takeShown(look.shown);
}

export function takeMarks({ marks }: Look) {
  const bodies = store.description.value?.bodies.length ?? 0;
  const there = Array.isArray(marks) ? marks.filter((mark) => Number.isInteger(mark?.body) && mark.body >= 0 && mark.body < bodies && isPoint(mark.point)).slice(0, 20) : [];
  if (there.length) actions.mark(...there);
}

function takeShown({ arrows, names, axes, fields, strains, plots }: Shown) {
  if (Array.isArray(arrows)) store.arrows.value = (Object.keys(arrowKinds) as ArrowKind[]).filter((kind) => arrows.includes(kind));
  actions.setNotes({ names: names !== false, axes: axes !== false });
  store.showFields.value = fields !== false;
  store.strainColors.value = strains !== false;
  if (Array.isArray(plots)) panels.value = takenPanels(plots);
}
