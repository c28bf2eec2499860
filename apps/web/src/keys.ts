// Everything by keyboard. The help overlay is made from this table.
import * as actions from './actions';
import * as builder from './build/builder';
import { isElastic } from './scene/document';
import * as store from './store';
import { goToStep } from './tour';

interface Key {
  keys: string[]; // as KeyboardEvent.key; with "Shift+" where it matters
  shown: string;
  text: string; // key of its text
  act(event: KeyboardEvent): unknown;
}

const arrows = (right: number, away: number, up: number, plain: () => unknown) => (event: KeyboardEvent) => (store.selected.value === null ? plain() : actions.nudge(right, away, up, event.shiftKey));
const nothing = () => undefined;

export const keyTable: Key[] = [
  { keys: [' '], shown: 'Space', text: 'key.run', act: actions.toggleRun },
  { keys: ['ArrowRight'], shown: '→', text: 'key.forward', act: arrows(1, 0, 0, actions.stepForward) },
  { keys: ['ArrowLeft'], shown: '←', text: 'key.back', act: arrows(-1, 0, 0, actions.stepBack) },
  { keys: ['r'], shown: 'R', text: 'key.reset', act: () => actions.reset(true) },
  { keys: ['Shift+R'], shown: 'Shift R', text: 'key.default', act: () => actions.reset(false) },
  { keys: ['Ctrl+z'], shown: 'Ctrl Z', text: 'key.undo', act: actions.undo },
  { keys: ['Ctrl+y', 'Ctrl+Shift+z'], shown: 'Ctrl Y', text: 'key.redo', act: actions.redo },
  { keys: ['Delete', 'Backspace'], shown: 'Del', text: 'key.delete', act: () => (builder.drawing.value ? builder.removeSelected() : undefined) },
  { keys: ['Ctrl+d'], shown: 'Ctrl D', text: 'key.copy', act: () => (builder.drawing.value ? builder.copySelected(false) : undefined) },
  { keys: ['b'], shown: 'B', text: 'key.bob', act: () => actions.selectNext(1) },
  { keys: ['Shift+B'], shown: 'Shift B', text: 'key.bob.back', act: () => actions.selectNext(-1) },
  { keys: ['ArrowUp'], shown: '↑ ↓ ← →', text: 'key.move', act: arrows(0, 0, 1, nothing) },
  { keys: ['ArrowDown'], shown: '', text: '', act: arrows(0, 0, -1, nothing) },
  { keys: ['PageUp'], shown: 'Page ↑ ↓', text: 'key.away', act: arrows(0, 1, 0, nothing) },
  { keys: ['PageDown'], shown: '', text: '', act: arrows(0, -1, 0, nothing) },
  { keys: ['n'], shown: 'N', text: 'key.more', act: () => actions.setLinks(actions.linkCount() + 1) },
  { keys: ['Shift+N'], shown: 'Shift N', text: 'key.fewer', act: () => actions.setLinks(actions.linkCount() - 1) },
  { keys: ['e'], shown: 'E', text: 'key.elastic', act: () => actions.changeElastic(!isElastic(store.scene.value)) },
  { keys: ['t'], shown: 'T', text: 'key.trace', act: () => actions.setTrace(!store.trace.value) },
  { keys: ['g'], shown: 'G', text: 'key.ghost', act: actions.toggleGhost },
  { keys: ['v'], shown: 'V', text: 'key.view', act: () => actions.setMode(store.mode.value === '2d' ? '3d' : '2d') },
  { keys: [']'], shown: ']', text: 'key.faster', act: () => actions.setSpeed(Math.round((store.speed.value + 0.5) * 10) / 10) },
  { keys: ['['], shown: '[', text: 'key.slower', act: () => actions.setSpeed(Math.max(0.1, Math.round((store.speed.value - 0.5) * 10) / 10)) },
  { keys: ['+', '='], shown: '+', text: 'key.closer', act: () => actions.theView().zoomBy(1.15) },
  { keys: ['-'], shown: '−', text: 'key.farther', act: () => actions.theView().zoomBy(1 / 1.15) },
  { keys: ['q'], shown: 'Q', text: 'key.turn', act: () => actions.theView().turnBy(0.1) },
  { keys: ['Shift+Q'], shown: 'Shift Q', text: 'key.turn.back', act: () => actions.theView().turnBy(-0.1) },
  { keys: ['p'], shown: 'P', text: 'key.present', act: actions.togglePresenting },
  { keys: ['f'], shown: 'F', text: 'key.fit', act: () => actions.theView().fit() },
  { keys: ['d'], shown: 'D', text: 'key.dark', act: () => actions.setTheme(store.theme.value === 'dark' ? 'light' : 'dark') },
  { keys: ['?'], shown: '?', text: 'key.help', act: () => (store.helpOpen.value = !store.helpOpen.value) },
  { keys: ['Escape'], shown: 'Esc', text: 'key.close', act: closeAll },
];

function closeAll() {
  store.helpOpen.value = false;
  void goToStep(null);
  if (document.documentElement.dataset.presenting) actions.togglePresenting();
  store.selected.value = null;
  actions.theView().setGlow(null);
}

const textTypes = ['text', 'number', 'search', 'url', 'email', 'password'];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement ? textTypes.includes(target.type) : target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

// What a control does with a key by itself: a button or switch is pressed by the space bar, a slider is moved by arrows,
// tabs are chosen by them.
function isTaken(key: string, inside: Element | null): boolean {
  const slider = inside instanceof HTMLInputElement && inside.type === 'range';
  if (key === ' ') return !slider && !!inside?.closest('button, input, summary, a');
  if (/^(Arrow|Page|Home|End)/.test(key)) return slider || (key.startsWith('Arrow') && !!inside?.closest('[role=tablist]'));
  return false;
}

// "Shift+R", "Ctrl+z", "ArrowLeft": as the table names it.
function nameOf(event: KeyboardEvent): string {
  const letter = /^[A-Za-z]$/.test(event.key);
  if (event.ctrlKey || event.metaKey) return `Ctrl+${event.shiftKey ? 'Shift+' : ''}${event.key.toLowerCase()}`;
  if (event.shiftKey && letter) return `Shift+${event.key.toUpperCase()}`;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.altKey) return;
    if (isTyping(event.target) && event.key !== 'Escape') return;
    if (isTaken(event.key, event.target instanceof Element ? event.target : null)) return;
    const key = keyTable.find(({ keys }) => keys.includes(nameOf(event)));
    if (!key) return;
    event.preventDefault();
    void key.act(event);
  });
}
