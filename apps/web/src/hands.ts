// Mouse, pen and fingers on the picture: bobs are dragged, the rest is moved, zoomed and turned.
import * as actions from './actions';
import * as store from './store';
import { trajectory } from './files/trajectory';
import type { Hit, View } from './view/view';

interface Held {
  hit: Hit;
  pointer: number;
}

const reachOf = (event: PointerEvent) => (event.pointerType === 'touch' ? 40 : 22);

export function listenToHands(view: View) {
  const { canvas } = view;
  const pointers = new Map<number, { x: number; y: number }>();
  let held: Held | null = null;
  let pinch = 0;

  const at = (event: PointerEvent | WheelEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  // Before OrbitControls hears of it.
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      const { x, y } = at(event);
      pointers.set(event.pointerId, { x, y });
      if (pointers.size > 1 || trajectory.value) return;
      const hit = view.pick(x, y, reachOf(event));
      if (!hit || event.button !== 0) return;
      if (store.marking.value && 'body' in hit.hold) {
        actions.mark(hit.hold.body, hit.hold.point);
        return;
      }
      held = { hit, pointer: event.pointerId };
      view.setOrbiting(false);
      canvas.setPointerCapture(event.pointerId);
      view.setGlow(hit.index);
      store.dragging.value = hit.index;
      store.selected.value = null;
      void actions.theLab().hold();
    },
    { capture: true },
  );

  canvas.addEventListener('pointermove', (event) => {
    const { x, y } = at(event);
    const before = pointers.get(event.pointerId);
    if (held && event.pointerId === held.pointer) {
      void actions.theLab().drag(held.hit.hold, view.under(x, y, held.hit.place));
    } else if (before && store.mode.value === '2d') {
      pointers.set(event.pointerId, { x, y });
      if (pointers.size === 1) view.panBy(x - before.x, y - before.y);
      if (pointers.size === 2) {
        const [a, b] = [...pointers.values()] as [{ x: number; y: number }, { x: number; y: number }];
        const distance = Math.hypot(a.x - b.x, a.y - b.y);
        if (pinch > 0) view.zoomBy(distance / pinch);
        pinch = distance;
      }
    } else if (!before) {
      const hit = trajectory.value ? null : view.pick(x, y, reachOf(event));
      canvas.classList.toggle('grabbable', hit !== null);
      if (event.pointerType === 'mouse') actions.point(hit?.index ?? null);
    }
  });
  canvas.addEventListener('pointerleave', () => actions.point(null));

  const drop = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    pinch = 0;
    if (!held || event.pointerId !== held.pointer) return;
    held = null;
    view.setGlow(null);
    view.setOrbiting(true);
    store.dragging.value = null;
    void actions.theLab().release();
  };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
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
