import { render } from 'preact';
import './style.css';
import wasmUrl from 'catena-engine/catena.wasm?url';
import * as actions from './actions';
import { App } from './app';
import { EngineClient } from './engine/client';
import * as autosave from './files/autosave';
import { listenForDrops } from './files/drops';
import { openShared } from './files/share';
import { playFrame, trajectory } from './files/trajectory';
import { listenForGestures } from './gestures';
import { listenToHands } from './hands';
import { listenToKeys } from './keys';
import { Lab, chainRequest } from './lab';
import { firstPicture, type ChainWish } from './scene/document';
import { charts } from './plots/plot';
import * as plots from './plots/panels';
import * as store from './store';
import { language, preferredLanguage, t } from './texts';
import { View } from './view/view';

// The core's bytes: inside the page where it is one file, beside it where it is served.
async function wasmBytes(): Promise<ArrayBuffer> {
  const inside = document.getElementById('catena-wasm')?.textContent;
  if (!inside) return (await fetch(wasmUrl)).arrayBuffer();
  const packed = Uint8Array.from(atob(inside.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

const wish = new URLSearchParams(location.hash.slice(1));
const firstChain: ChainWish = { links: 3, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 };

// The engine starts, and takes up the page's own chain, while the rest of the page does.
const client = new EngineClient();
const started = wasmBytes().then((wasm) => client.start(wasm));
const worked = autosave.isThere();
const early = worked || wish.has('s') || wish.has('scene') ? null : started.then(() => client.call(chainRequest(firstChain)));
for (const promise of [started, early]) promise?.catch(() => undefined); // told in begin()

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// What the address asks for: a shared state, or a scene that is served beside the page.
async function openAsked(lab: Lab): Promise<boolean> {
  const shared = wish.get('s');
  if (shared && (await openShared(shared))) return true;
  const served = wish.get('scene');
  if (!served || !/^[\w.-]+$/.test(served)) return false;
  const answer = await fetch(`./${served}`).catch(() => null);
  if (answer?.ok && (await lab.load(await answer.text(), served.replace(/\.[^.]*$/, ''), served))) {
    actions.lookAtScene();
    return true;
  }
  store.notify('mistake', t('notice.no-scene', { name: served }), 20);
  return false;
}

// The work of before, and what the address asks for on top of it; else the page's own chain.
async function openFirst(lab: Lab) {
  const before = worked ? await autosave.takeUp() : null;
  if (before && (before.address === location.hash || !location.hash)) {
    if (before.running && !calm()) lab.run();
    return;
  }
  if (await openAsked(lab)) return;
  if (before) return;
  if (early) lab.adopt(await early);
  else await lab.newChain(firstChain);
  if (!calm()) lab.run();
}

// The chain as it starts, before the engine has said anything; then the frame is on the screen.
function drawFirst(view: View) {
  const { chain, places } = firstPicture(firstChain);
  view.setChains([chain], 0, true);
  view.draw({ places, strains: null, ghosts: [], pivots: [chain.pivot], bodies: [], ghostBodies: [], t: 0 });
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('first-picture')));
}

async function begin(canvas: HTMLCanvasElement) {
  const view = new View(canvas);
  const lab = new Lab(view, client);
  actions.connect(lab, view);
  const stored = localStorage.getItem('catena-theme');
  const dark = stored ? stored === 'dark' : !matchMedia('(prefers-color-scheme: light)').matches;
  actions.setTheme(dark ? 'dark' : 'light');
  new ResizeObserver(() => view.resize()).observe(canvas);
  view.resize();
  listenForGestures();
  listenToHands(view);
  listenToKeys();
  listenForDrops(document.body);
  if (early) drawFirst(view);
  await started;
  await lab.start();
  await openFirst(lab);
  autosave.keepSaving();
  client.revived = async (reason) => {
    store.running.value = false;
    const back = await autosave.revive();
    if (!back) await lab.newChain(firstChain);
    await lab.watchAgain();
    store.notify('warning', t(back ? 'notice.revived' : 'notice.restarted', { reason }), 30);
  };
  window.addEventListener('hashchange', () => {
    const shared = new URLSearchParams(location.hash.slice(1)).get('s');
    if (shared) void lab.stop().then(() => openShared(shared));
  });
  // For the console and for tests: what the engine says, not what the screen shows.
  Object.assign(window, { catenaLab: { lab, view, store, actions, client, plots, charts } });
  let published = 0;
  const frame = (now: number) => {
    if (trajectory.value) playFrame(now);
    else lab.frame(now);
    if (now - published > 100) {
      published = now;
      lab.publish();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(() => document.visibilityState === 'visible' && !trajectory.value && lab.beat(performance.now()), 40);
  document.documentElement.dataset.ready = 'yes';
}

language.value = preferredLanguage();
document.documentElement.lang = language.value;
const root = document.getElementById('app')!;
render(
  <App
    onCanvas={(canvas) => {
      begin(canvas).catch((error: unknown) => {
        document.documentElement.dataset.ready = 'failed';
        store.notify('mistake', `${t('notice.no-start')} ${String(error)}`, 600);
      });
    }}
  />,
  root,
);
