// Six steps from one pendulum to chaos. Each sets the page up, and most wait for something to happen.
import { effect } from '@preact/signals';
import * as actions from './actions';
import type { Session } from './engine/protocol';
import { isElastic } from './scene/document';
import * as store from './store';
import type { Mode } from './view/view';

export interface TourStep {
  key: string; // of its texts: tour.<key>.title, .text, .task
  enter(): Promise<void>;
  done(): boolean;
}

async function chain(links: number, elastic = false) {
  await actions.theLab().stop();
  await actions.theLab().setGhosts([]);
  await actions.theLab().newChain({ links, elastic, stiffness: 200, gravity: 9.81, damping: 0 });
  actions.setMode('2d');
  actions.setSpeed(1);
}

let dragged = false;
effect(() => {
  if (store.dragging.value !== null) dragged = true;
});

export const steps: TourStep[] = [
  {
    key: 'pendulum',
    async enter() {
      await chain(1);
      actions.theLab().run();
    },
    done: () => store.live.value.t > 3,
  },
  {
    key: 'drag',
    async enter() {
      dragged = false;
    },
    done: () => dragged,
  },
  {
    key: 'double',
    async enter() {
      await chain(2);
      actions.theLab().run();
    },
    done: () => store.live.value.t > 5,
  },
  {
    key: 'chaos',
    async enter() {
      await chain(3);
      await actions.theLab().setGhosts([{ offset: 1e-3, method: '' }]);
      store.openPanel.value = 'ghosts';
      actions.setSpeed(2);
      actions.theLab().run();
    },
    done: () => (store.live.value.ghosts[0]?.distance ?? 0) > 0.1,
  },
  {
    key: 'springs',
    async enter() {
      await chain(4);
      store.openPanel.value = 'chain';
      actions.theLab().run();
    },
    done: () => isElastic(store.scene.value),
  },
  {
    key: 'euler',
    async enter() {
      await chain(2, true);
      store.openPanel.value = 'learn';
    },
    done: () => store.description.value?.method === 'euler',
  },
];

// What was there before the tour, with its past: it is given back afterwards.
let work: { saved: Session; mode: Mode; speed: number; panel: string; running: boolean } | null = null;

export async function startTour() {
  await borrow();
  await goToStep(0);
}

// Keeps what is there, for whoever shows something else for a while.
export async function borrow() {
  const running = store.running.value;
  await actions.theLab().stop();
  work ??= { saved: (await actions.theLab().session()).saved, mode: store.mode.value, speed: store.speed.value, panel: store.openPanel.value, running };
}

export async function giveBack() {
  if (!work) return;
  const { saved, mode, speed, panel, running } = work;
  work = null;
  await actions.theLab().stop();
  if (!(await actions.theLab().restore(saved))) return;
  actions.setMode(mode);
  actions.setSpeed(speed);
  store.openPanel.value = panel;
  if (running) actions.theLab().run();
}

export async function goToStep(step: number | null) {
  store.tourStep.value = step;
  store.sheetOpen.value = true;
  if (step !== null) await steps[step]!.enter();
  else await giveBack();
}
