// The page around the picture.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import * as actions from './actions';
import { toggleFilm } from './files/film';
import { closeTrajectory, shownRow, trajectory } from './files/trajectory';
import { Gallery } from './gallery/gallery';
import { galleryOpen, open as openScene } from './gallery/shelf';
import { keyTable } from './keys';
import { DrawingBoard } from './build/overlay';
import { openTools, startEmpty } from './build/builder';
import { BuildPanel } from './panels/build';
import * as compare from './compare/twin';
import { ComparePanel } from './panels/compare';
import { ChainPanel } from './panels/chain';
import { ChaosPanel } from './panels/chaos';
import { Button, Icon } from './panels/controls';
import { EnginePanel } from './panels/engine';
import { ForcesPanel } from './panels/forces';
import { GhostPanel } from './panels/ghosts';
import { LearnPanel } from './panels/learn';
import { LinksPanel } from './panels/links';
import { LessonCard } from './panels/lesson';
import { MeasurePanel } from './panels/measure';
import { MeasuringTools } from './measure/tools';
import { RunPanel } from './panels/run';
import { SharePanel } from './panels/share';
import { ShowPanel } from './panels/show';
import { TourCard } from './panels/tour';
import { Plots } from './plots/plots';
import { presets } from './presets';
import { ticksPerSecond } from './rows';
import { keep } from './kept';
import * as store from './store';
import { language, languages, t, told } from './texts';
import { startTour } from './tour';

const panels = [
  { id: 'chain', Panel: ChainPanel },
  { id: 'show', Panel: ShowPanel },
  { id: 'ghosts', Panel: GhostPanel },
  { id: 'build', Panel: BuildPanel },
  { id: 'measure', Panel: MeasurePanel },
  { id: 'compare', Panel: ComparePanel },
  { id: 'chaos', Panel: ChaosPanel },
  { id: 'engine', Panel: EnginePanel },
  { id: 'links', Panel: LinksPanel },
  { id: 'forces', Panel: ForcesPanel },
  { id: 'share', Panel: SharePanel },
  { id: 'learn', Panel: LearnPanel },
];

async function choosePreset(name: string) {
  if (trajectory.value) closeTrajectory();
  await actions.theLab().stop();
  if (name === 'drawing') return startEmpty();
  if (name === 'chain') {
    await actions.theLab().newChain({ links: 3, elastic: false, stiffness: 200, gravity: 9.81, damping: 0 });
    return;
  }
  const preset = presets.find((one) => one.name === name);
  if (preset) await openScene({ ...preset, group: '' });
}

function Header() {
  const known = ['chain', 'drawing'].includes(store.presetName.value) || presets.some(({ name }) => name === store.presetName.value);
  return (
    <header>
      <h1>
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <path d="M6 4 L14 14 L11 24 L22 28" fill="none" stroke="currentColor" stroke-width="2" />
          <circle cx="14" cy="14" r="3.4" fill="#56b4e9" />
          <circle cx="11" cy="24" r="3.4" fill="#e69f00" />
          <circle cx="22" cy="28" r="3.4" fill="#2fc99a" />
        </svg>
        Catena
      </h1>
      <select class="presets" data-control="preset" aria-label={t('preset')} value={known ? store.presetName.value : ''} onChange={(event) => choosePreset(event.currentTarget.value)}>
        {!known && <option value="">{store.presetName.value}</option>}
        <option value="chain">{t('preset.chain')}</option>
        <option value="drawing">{t('preset.drawing')}</option>
        {presets.map(({ name, summary }) => (
          <option key={name} value={name} title={told(`scene.${name}`, summary)}>
            {name}
          </option>
        ))}
      </select>
      <Button name="gallery" class="icon" title={t('gallery')} onClick={() => (galleryOpen.value = true)}><Icon name="gallery" /></Button>
      <Button name="undo" class="icon" title={t('key.undo')} disabled={!store.canUndo.value} onClick={actions.undo}><Icon name="undo" /></Button>
      <Button name="redo" class="icon" title={t('key.redo')} disabled={!store.canRedo.value} onClick={actions.redo}><Icon name="redo" /></Button>
      <span class="space" />
      <div class="segment" role="group" aria-label={t('view')}>
        <Button name="2d" class="" pressed={store.mode.value === '2d'} onClick={() => actions.setMode('2d')}>2D</Button>
        <Button name="3d" class="" pressed={store.mode.value === '3d'} onClick={() => actions.setMode('3d')}>3D</Button>
      </div>
      <Button name="fit" class="icon" title={t('key.fit')} onClick={() => actions.theView().fit()}><Icon name="fit" /></Button>
      <Button name="theme" class="icon" title={t('key.dark')} onClick={() => actions.setTheme(store.theme.value === 'dark' ? 'light' : 'dark')}><Icon name={store.theme.value === 'dark' ? 'sun' : 'moon'} /></Button>
      <select class="language" data-control="language" aria-label={t('language')} value={language.value} onChange={(event) => {
        language.value = event.currentTarget.value;
        keep('language', language.value);
        document.documentElement.lang = language.value;
      }}>
        {Object.entries(languages).map(([code, { name }]) => (
          <option key={code} value={code} lang={code}>{`${code.toUpperCase()} ${name}`}</option>
        ))}
      </select>
      <Button name="start-tour" class="icon wide-only" title={t('tour.start')} onClick={startTour}><Icon name="tour" /></Button>
      <Button name="help" class="icon" title={t('key.help')} onClick={() => (store.helpOpen.value = true)}><Icon name="help" /></Button>
    </header>
  );
}

// A button that repeats while it is held.
function Repeating(props: { name: string; title: string; icon: string; act(): Promise<unknown> }) {
  const timer = useRef(0);
  const going = useRef(false);
  const stop = () => {
    going.current = false;
    clearTimeout(timer.current);
  };
  const repeat = async (delay: number) => {
    timer.current = window.setTimeout(async () => {
      if (!going.current) return;
      await props.act();
      void repeat(30);
    }, delay);
  };
  return (
    <button type="button" class="icon" data-action={props.name} title={props.title} aria-label={props.title} onPointerDown={(event) => {
      if (event.button !== 0) return;
      going.current = true;
      void props.act();
      void repeat(350);
    }} onPointerUp={stop} onPointerLeave={stop} onPointerCancel={stop} onClick={(event) => event.detail === 0 && props.act()}>
      <Icon name={props.icon} />
    </button>
  );
}

// Scenes of a few milliseconds need more digits.
function timeText(seconds: number): string {
  return seconds.toFixed(ticksPerSecond > 120 && !trajectory.value ? 4 : 2);
}

function Timeline() {
  const recorded = trajectory.value;
  if (recorded) {
    const last = recorded.times.length - 1;
    return (
      <input class="timeline" type="range" data-control="timeline" aria-label={t('timeline')} min={0} max={last} step={1} value={shownRow.value} aria-valuetext={`${recorded.times[shownRow.value]!.toFixed(2)} s`} onInput={(event) => (shownRow.value = Number(event.currentTarget.value))} />
    );
  }
  const { tick, begin, end } = store.standing.value;
  return (
    <input class="timeline" type="range" data-control="timeline" aria-label={t('timeline')} min={begin} max={Math.max(end, begin + 1)} step={1} value={tick} disabled={end === begin} aria-valuetext={`${timeText(tick / ticksPerSecond)} s`} onInput={async (event) => {
      const wanted = Number(event.currentTarget.value);
      await actions.theLab().stop();
      await actions.theLab().go(wanted);
    }} />
  );
}

function Transport() {
  const recorded = trajectory.value;
  const running = store.running.value;
  const time = recorded ? recorded.times[shownRow.value]! : store.live.value.t;
  return (
    <div class="transport" role="toolbar" aria-label={t('transport')}>
      <Button name="reset" class="icon" title={t('key.reset')} onClick={() => (recorded ? (shownRow.value = 0) : actions.reset(true))}><Icon name="reset" /></Button>
      <Repeating name="back" icon="back" title={t('key.back')} act={async () => (recorded ? (shownRow.value = Math.max(0, shownRow.value - 1)) : actions.stepBack())} />
      <Button name="run" class="icon run" title={t(running ? 'stop' : 'run')} pressed={running} onClick={actions.toggleRun}><Icon name={running ? 'stop' : 'run'} /></Button>
      <Repeating name="forward" icon="forward" title={t('key.forward')} act={async () => (recorded ? (shownRow.value = Math.min(recorded.times.length - 1, shownRow.value + 1)) : actions.stepForward())} />
      <output class="time" data-shows="time">{timeText(time)} s</output>
      <Timeline />
      <span class="speed" data-shows="speed">{Number(store.speed.value.toPrecision(2))}×</span>
    </div>
  );
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {store.notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice ${kind}`} data-notice={kind}>
          <span>{text}</span>
          <button type="button" aria-label={t('dismiss')} onClick={() => store.dismiss(id)}>×</button>
        </div>
      ))}
    </div>
  );
}

// What the picture shows, in words.
function summary(): string {
  const description = store.description.value;
  if (!description) return t('loading');
  if (actions.isByFormulas()) return t(description.first_order ? 'picture.states' : 'picture.point', { names: description.coordinates.map(({ name }) => name).join(', '), time: store.live.value.t.toFixed(1) });
  if (!description.chains.length) return t('picture.bodies', { bodies: description.bodies.length, joints: description.joints.length, time: store.live.value.t.toFixed(1) });
  return t('picture', { links: actions.linkCount(), kind: t(description.chains.some((chain) => chain.elastic) ? 'elastic.word' : 'rigid.word'), time: store.live.value.t.toFixed(1) });
}

// Beside the first, in step with it.
function SecondStage() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => compare.begin(canvas.current!), []);
  const { title } = compare.told.value;
  return (
    <>
      <canvas ref={canvas} class="twin" role="img" aria-label={t('compare.picture', { title })} />
      <p class="twin-title first">{`${store.presetName.value} · ${store.description.value?.method ?? ''}`}</p>
      <p class="twin-title">{title}</p>
    </>
  );
}

function Stage({ onCanvas }: { onCanvas(canvas: HTMLCanvasElement): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const overhead = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => onCanvas(canvas.current!), []);
  // What lies over the picture does not cover it: the picture gives way.
  useEffect(() => {
    const [above, stage] = [overhead.current!, canvas.current!.parentElement!];
    const transport = stage.querySelector<HTMLElement>('.transport')!;
    const sizes = new ResizeObserver(() => {
      const written = [...above.children].some((part) => (part as HTMLElement).offsetHeight > 0);
      actions.theView().setCovered(written ? above.offsetHeight : 0, stage.clientHeight - transport.offsetTop + 4);
    });
    for (const part of [above, stage, transport]) sizes.observe(part);
    return () => sizes.disconnect();
  }, []);
  const ghost = store.live.value.ghosts[0];
  const selected = store.selected.value;
  return (
    <main class={compare.wish.value && !trajectory.value ? 'stage two' : 'stage'}>
      <canvas ref={canvas} class="picture" tabIndex={0} role="img" aria-label={summary()} />
      {compare.wish.value && !trajectory.value && <SecondStage />}
      <DrawingBoard />
      <MeasuringTools />
      <div class="overhead" ref={overhead}>
        <div class="badges">
          {!store.description.value && <span class="badge">{t('loading')}</span>}
          {trajectory.value && (
            <span class="badge">
              {t('trajectory.shown', { name: trajectory.value.name })}
              <button type="button" data-action="close-trajectory" aria-label={t('trajectory.close')} onClick={closeTrajectory}>×</button>
            </span>
          )}
          {store.standing.value.tick < store.standing.value.end - ticksPerSecond / 4 && !trajectory.value && <span class="badge">{t('replaying')}</span>}
          {selected !== null && <span class="badge" role="status">{t('selected', { what: actions.selectedName() })}</span>}
          {ghost && !ghost.failed && <span class="badge" data-shows="divergence-badge">{t('divergence')} {(100 * ghost.distance).toFixed(1)} %</span>}
          {store.raisedTolerance.value !== null && <span class="badge warning">{t('badge.raised', { tolerance: store.raisedTolerance.value.toExponential(0) })}</span>}
          {store.running.value && !trajectory.value && store.live.value.lagging < 0.8 && <span class="badge warning" data-shows="lagging">{t('badge.lagging', { part: Math.round(100 * store.live.value.lagging) })}</span>}
          {store.reading.value && <span class="badge" data-shows="reading">{t('reading', { name: store.reading.value.name })}<progress max={1} value={store.reading.value.part} aria-label={t('reading', { name: store.reading.value.name })} /></span>}
          {store.recording.value && <button type="button" class="badge recording" data-action="stop-film" onClick={toggleFilm}>● {t('share.film.stop')}</button>}
        </div>
        <Notices />
      </div>
      <Transport />
    </main>
  );
}

// On a small screen the panels are a sheet under the stage: the tab that is open already closes it.
function chooseTab(id: string) {
  store.sheetOpen.value = store.openPanel.value !== id || !store.sheetOpen.value;
  if (id === 'build' && store.openPanel.value !== 'build') void openTools();
  else store.openPanel.value = id;
}

function Panels() {
  if (trajectory.value) {
    return (
      <aside class="side" aria-label={t('controls')}>
        <TourCard />
      <LessonCard />
        <div class="tab-body"><RunPanel /></div>
      </aside>
    );
  }
  const open = store.openPanel.value;
  const choose = (step: number) => {
    const at = panels.findIndex(({ id }) => id === open);
    const next = panels[(at + step + panels.length) % panels.length]!.id;
    if (next === 'build') void openTools();
    else store.openPanel.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  const { id, Panel } = panels.find((one) => one.id === open) ?? panels[0]!;
  return (
    <aside class={store.sheetOpen.value ? 'side' : 'side closed'} aria-label={t('controls')}>
      <TourCard />
      <LessonCard />
      <div class="tabs" role="tablist" aria-label={t('controls')} onKeyDown={(event) => {
        if (event.key === 'ArrowRight') choose(1);
        if (event.key === 'ArrowLeft') choose(-1);
      }}>
        {panels.map(({ id }) => (
          <button key={id} type="button" role="tab" id={`tab-${id}`} data-tab={id} aria-selected={id === open} aria-controls="panel" tabIndex={id === open ? 0 : -1} onClick={() => chooseTab(id)}>
            {t(`tab.${id}`)}
          </button>
        ))}
      </div>
      <div class="tab-body" id="panel" role="tabpanel" aria-labelledby={`tab-${open}`} tabIndex={0}>
        <h2 class="unseen">{t(`tab.${id}`)}</h2>
        <Panel />
      </div>
    </aside>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = store.helpOpen.value;
  const byTouch = matchMedia('(pointer: coarse)').matches;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-label={t('help')} onClose={() => (store.helpOpen.value = false)}>
      <h2>{t(byTouch ? 'help.touch' : 'help')}</h2>
      <p>{t(byTouch ? 'help.fingers' : 'help.hands')}</p>
      {byTouch && (
        <dl data-shows="touch-help">
          {['bob', 'background', 'pinch', 'tap', 'step', 'plots', 'sheet'].map((what) => (
            <div key={what}>
              <dt>{t(`touch.${what}`)}</dt>
              <dd>{t(`touch.${what}.text`)}</dd>
            </div>
          ))}
        </dl>
      )}
      {byTouch && <h3>{t('help')}</h3>}
      <dl>
        {keyTable.filter(({ shown }) => shown).map(({ shown, text }) => (
          <div key={text}>
            <dt><kbd>{shown}</kbd></dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
      <p class="remark">Catena {store.info.value?.version}</p>
      <Button name="close-help" onClick={() => (store.helpOpen.value = false)}>{t('key.close')}</Button>
    </dialog>
  );
}

export function App({ onCanvas }: { onCanvas(canvas: HTMLCanvasElement): void }) {
  return (
    <>
      <Header />
      <Stage onCanvas={onCanvas} />
      <Panels />
      <Plots />
      <Help />
      <Gallery />
    </>
  );
}
