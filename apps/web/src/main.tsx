import { render } from 'preact';
import './style.css';
import * as actions from './actions';
import { App } from './app';
import * as builder from './build/builder';
import { followPicture } from './build/overlay';
import * as chaosMap from './chaos/map';
import * as chaosPool from './chaos/pool';
import * as chaosTools from './chaos/tools';
import * as compare from './compare/twin';
import { EngineClient } from './engine/client';
import { core } from './engine/core';
import * as autosave from './files/autosave';
import { listenForDrops } from './files/drops';
import { openShared } from './files/share';
import { playFrame, trajectory } from './files/trajectory';
import { listenForGestures } from './gestures';
import { listenToHands } from './hands';
import { listenToKeys } from './keys';
import { Lab, chainRequest } from './lab/lab';
import { presets } from './presets';
import { firstPicture, type ChainWish } from './scene/document';
import { charts } from './plots/plot';
import * as plots from './plots/panels';
import { kept } from './kept';
import { followPictureWithTools } from './measure/tools';
import * as lessons from './lessons/lessons';
import * as meters from './measure/meters';
import * as store from './store';
import { refreshStage } from './stage';
import { language, languages, preferredLanguage, t } from './texts';
import { View } from './view/view';

const wish = new URLSearchParams(location.hash.slice(1));
const firstChain: ChainWish = { links: 3, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 };

// The engine starts, and takes up the page's own chain, while the rest of the page does.
const client = new EngineClient();
const started = core().then((wasm) => client.start(wasm));
// A lab inside another page begins with what that page asks for, and leaves the reader's own work alone.
const worked = autosave.isThere();
const asksForScene = ['s', 'scene', 'text'].some((key) => wish.has(key));
const early = worked || asksForScene ? null : started.then(() => client.call(chainRequest(firstChain)));
for (const promise of [started, early]) promise?.catch(() => undefined); // told in begin()

// A scene's text as an address holds it: base64 with - and _.
function unpacked(text: string): string {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

// A shipped scene by its name, a scene's own text, or one that is served beside the page; null: none of them is there.
async function sceneAskedFor(): Promise<{ text: string; name: string; source: string } | null> {
  try {
    const given = wish.get('text');
    if (given) return { text: unpacked(given), name: 'scene', source: 'scene' };
    const served = wish.get('scene') ?? '';
    const preset = presets.find(({ name }) => name === served);
    if (preset) return { text: preset.text, name: served, source: `${served}.toml` };
    const answer = /^[\w.-]+$/.test(served) ? await fetch(`./${served}`) : null;
    return answer?.ok ? { text: await answer.text(), name: served.replace(/\.[^.]*$/, ''), source: served } : null;
  } catch {
    return null;
  }
}

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

// What the address asks for: a shared state, or a scene.
async function openAsked(lab: Lab): Promise<boolean> {
  const shared = wish.get('s');
  if (shared && (await openShared(shared))) return true;
  if (!wish.has('scene') && !wish.has('text')) return false;
  const asked = await sceneAskedFor();
  if (asked && (await lab.load(asked.text, asked.name, asked.source))) {
    actions.lookAtScene();
    return true;
  }
  store.notify('mistake', t('notice.no-scene', { name: wish.get('scene') ?? '' }), 20);
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
  markPainted('first-picture');
  requestAnimationFrame(() => requestAnimationFrame(() => view.prepare()));
}

// Once the frame that is being drawn is on the screen.
function markPainted(name: string) {
  requestAnimationFrame(() => performance.mark(name));
}

async function begin(canvas: HTMLCanvasElement) {
  const view = new View(canvas);
  const lab = new Lab(view, client);
  actions.connect(lab, view);
  const stored = wish.get('theme') ?? kept('theme');
  const dark = stored ? stored === 'dark' : !matchMedia('(prefers-color-scheme: light)').matches;
  actions.setTheme(dark ? 'dark' : 'light');
  new ResizeObserver(() => view.resize()).observe(canvas);
  view.resize();
  listenForGestures();
  listenToHands(view);
  listenToKeys();
  builder.watchTools();
  listenForDrops(document.body);
  if (early) drawFirst(view);
  await started;
  const moves = drawFrames(lab);
  await openFirst(lab);
  if (early && store.running.value) await moves; // what the engine says of itself comes after it
  await lab.start();
  autosave.keepSaving();
  client.revived = async (reason, anew) => {
    store.running.value = false;
    const back = !anew && (await autosave.revive());
    if (!back && !(await lab.newChain(firstChain))) return;
    await lab.past.watchAgain();
    store.notify('warning', t(back ? 'notice.revived' : 'notice.restarted', { reason }), 30);
  };
  client.lost = (reason) => store.notify('mistake', t('notice.lost', { reason }), 600);
  window.addEventListener('hashchange', () => {
    const shared = new URLSearchParams(location.hash.slice(1)).get('s');
    if (shared) void lab.stop().then(() => openShared(shared));
  });
  // For the console and for tests: what the engine says, not what the screen shows.
  Object.assign(window, { catenaLab: { lab, view, store, actions, client, plots, charts, builder, meters, lessons, compare, chaosMap, chaosPool, chaosTools } });
  document.documentElement.dataset.ready = 'yes';
}

// Resolves with the first frame in which something moves; where none comes, soon.
function drawFrames(lab: Lab): Promise<void> {
  let published = 0;
  let moved: (() => void) | null = null;
  const moves = new Promise<void>((resolve) => {
    moved = resolve;
    setTimeout(resolve, 2000);
  });
  const frame = (now: number) => {
    if (trajectory.value) playFrame(now);
    else lab.frame(now);
    if (moved && lab.clock.at > 0) {
      markPainted('first-motion');
      moved();
      moved = null;
    }
    compare.frame(lab);
    refreshStage(now);
    followPicture();
    followPictureWithTools();
    if (now - published > 100) {
      published = now;
      lab.publish();
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  setInterval(() => document.visibilityState === 'visible' && !trajectory.value && lab.beat(performance.now()), 40);
  return moves;
}

const wishedLanguage = wish.get('language') ?? '';
language.value = wishedLanguage in languages ? wishedLanguage : preferredLanguage();
// Inside another page the stage may stand alone.
if (wish.get('panels') === 'none') document.documentElement.dataset.panels = 'none';
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
