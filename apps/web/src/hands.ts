// Mouse, pen and fingers on the picture: bobs are dragged, the rest is moved, zoomed and turned.
import * as actions from './actions';
import type { Hold, Point } from './engine/protocol';
import { trajectory } from './files/trajectory';
import * as builder from './build/builder';
import { Fingers } from './fingers';
import { showPart } from './plots/panels';
import { pivotOf } from './rows';
import { chainsOf } from './scene/document';
import * as store from './store';
import type { View } from './view/view';

// Something in the hand: a bob or body, or the pivot of a chain (`index` -1).
interface Held {
  index: number;
  hold: Hold;
  place: Point;
  pointer: number;
  from: { x: number; y: number };
  live: boolean; // time runs on
  moved: boolean;
}

const reachOf = (event: PointerEvent) => (event.pointerType === 'touch' ? 40 : 22);
const stillness = 5; // pixels that a finger moves in a click

// The pivot of a chain under a point of the screen, where it can be moved.
function pickPivot(view: View, x: number, y: number, within: number): Pick<Held, 'index' | 'hold' | 'place'> | null {
  const { layout, row } = actions.theLab();
  for (const [chain, info] of (store.description.value?.chains ?? []).entries()) {
    if (info.moving) continue;
    const place = pivotOf(layout, info, row);
    const [under, beside] = [view.under(x, y, place), view.under(x + 1, y, place)];
    const distance = (a: Point, b: Point) => Math.hypot(...a.map((c, i) => c - b[i]!));
    if (distance(under, place) < 0.6 * within * distance(under, beside)) return { index: -1, hold: { chain, link: 0, may_leave_plane: false, pivot: true }, place };
  }
  return null;
}

// A motion that runs is pulled along; one that stands still is put where the hand is.
function take(held: Held) {
  if (held.live) void actions.theLab().hand.grab(held.hold, held.place);
  else if (held.index >= 0) void actions.theLab().hand.hold();
}

function carry(held: Held, target: Point) {
  const lab = actions.theLab();
  const { hold } = held;
  held.place = target;
  if (held.live) void lab.hand.pull(target);
  else if (held.index >= 0) void lab.hand.drag(hold, target);
  else if ('chain' in hold) void lab.edit((doc) => (chainsOf(doc)[hold.chain]!.pivot = target));
}

function drop({ live, index, hold, place }: Held) {
  if (live) void actions.theLab().hand.letGo(index < 0 && 'chain' in hold ? { chain: hold.chain, place } : null);
  else if (index >= 0) void actions.theLab().hand.release();
}

export function listenToHands(view: View) {
  const { canvas } = view;
  const fingers = new Fingers(canvas);
  let held: Held | null = null;

  // Before OrbitControls hears of it.
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      const { x, y } = fingers.down(event);
      if (fingers.count > 1) builder.cancel();
      if (fingers.count > 1 || trajectory.value) return;
      if (event.button !== 0) return;
      if (builder.drawing.value) {
        if (!builder.down(x, y, event)) return;
        view.setOrbiting(false);
        canvas.setPointerCapture(event.pointerId);
        return;
      }
      const hit = view.pick(x, y, reachOf(event)) ?? pickPivot(view, x, y, reachOf(event));
      if (!hit) return;
      if (store.marking.value && 'body' in hit.hold) {
        actions.mark({ body: hit.hold.body, point: hit.hold.point });
        return;
      }
      held = { ...hit, pointer: event.pointerId, from: { x, y }, live: store.running.value, moved: false };
      view.setOrbiting(false);
      canvas.setPointerCapture(event.pointerId);
      if (hit.index >= 0) view.setGlow(hit.index);
      store.dragging.value = hit.index;
      store.selected.value = null;
      take(held);
    },
    { capture: true },
  );

  canvas.addEventListener('pointermove', (event) => {
    const { x, y } = fingers.placeOf(event);
    const movement = fingers.move(event);
    if (builder.move(x, y, event)) return;
    if (held && event.pointerId === held.pointer) {
      held.moved ||= Math.hypot(x - held.from.x, y - held.from.y) > stillness;
      if (held.moved) carry(held, view.under(x, y, held.place));
    } else if (movement && store.mode.value === '2d') {
      if (movement.alone) view.panBy(x - movement.from.x, y - movement.from.y);
      if (movement.pinch) view.zoomBy(movement.pinch.factor);
    } else if (!movement && !builder.drawing.value) {
      const hit = trajectory.value ? null : (view.pick(x, y, reachOf(event)) ?? pickPivot(view, x, y, reachOf(event)));
      canvas.classList.toggle('grabbable', hit !== null);
      if (event.pointerType === 'mouse') actions.point(hit && hit.index >= 0 ? hit.index : null);
    }
  });
  canvas.addEventListener('pointerleave', () => actions.point(null));

  const end = (event: PointerEvent) => {
    fingers.up(event);
    if (builder.up(event)) view.setOrbiting(true);
    if (!held || event.pointerId !== held.pointer) return;
    drop(held);
    if (!held.moved && held.index >= 0) void showPart(held.index); // a click: what is plotted of it
    held = null;
    view.setGlow(null);
    view.setOrbiting(true);
    store.dragging.value = null;
  };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('dblclick', () => view.fit());
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (store.mode.value === '3d') return;
      event.preventDefault();
      view.zoomBy(Math.exp(-event.deltaY / 600));
    },
    { passive: false },
  );
}
