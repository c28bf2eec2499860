// One plot: it asks for what it shows, draws it, and listens to mouse and fingers.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as actions from '../actions';
import { trajectory } from '../files/trajectory';
import { Fingers } from '../fingers';
import * as store from '../store';
import { language, t } from '../texts';
import { Button, Icon } from '../panels/controls';
import { stems, titleOf } from './columns';
import { chartOf, indexAt, window as shownTime } from './chart';
import { areaOf, draw, valueAlong, type Axis, type Chart } from './draw';
import { change, columnsOf, isPortrait, openSettings, panels, wanted, type Panel } from './panels';
import { Settings } from './settings';
import { needsOf, read, timeline, type Values } from './source';

// What each plot shows now, by its number; for exports and tests.
export const charts = new Map<number, Chart>();

function inkOf() {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name);
  return { text: of('--faint'), grid: of('--line'), strong: of('--ink') };
}

// The engine keeps the values of all columns that some plot shows.
export function watchedColumns(): string[] {
  return [...new Set(panels.value.flatMap((panel) => needsOf(columnsOf(panel))))].slice(0, 512);
}

const zoomed = (axis: Axis, at: number, factor: number): [number, number] => [valueAlong(axis, at - at * factor), valueAlong(axis, at + (1 - at) * factor)];
const moved = (axis: Axis, by: number): [number, number] => [valueAlong(axis, by), valueAlong(axis, 1 + by)];

// Wheel and fingers on a plot.
function listen(canvas: HTMLCanvasElement, panel: () => Panel, chart: () => Chart | null, onCursor: (x: number | null) => void) {
  const fingers = new Fingers(canvas);
  const zoom = (x: number, y: number, factor: number, alongY: boolean) => {
    const shown = chart();
    if (!shown) return;
    const area = areaOf(canvas.clientWidth, canvas.clientHeight);
    const [px, py] = [(x - area.left) / area.width, 1 - (y - area.top) / area.height];
    const both = isPortrait(panel());
    if (both || !alongY) change(panel().id, { xRange: zoomed(shown.x, px, factor) });
    if (both || alongY) change(panel().id, { yRange: zoomed(shown.y, py, factor) });
  };
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const { x, y } = fingers.placeOf(event);
    zoom(x, y, Math.exp((event.deltaY || event.deltaX) / 400), event.shiftKey || x < areaOf(canvas.clientWidth, canvas.clientHeight).left);
  };
  const read = ({ x }: { x: number }) => {
    const shown = chart();
    const area = areaOf(canvas.clientWidth, canvas.clientHeight);
    if (shown) onCursor(valueAlong(shown.x, (x - area.left) / area.width));
  };
  const onDown = (event: PointerEvent) => {
    fingers.down(event);
    canvas.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent) => {
    const shown = chart();
    const movement = fingers.move(event);
    if (!shown) return;
    const area = areaOf(canvas.clientWidth, canvas.clientHeight);
    read(fingers.placeOf(event));
    if (!movement) return;
    const { from, to, alone, pinch } = movement;
    if (pinch) zoom(pinch.around.x, pinch.around.y, 1 / pinch.factor, false);
    if (!alone) return;
    const [dx, dy] = [(from.x - to.x) / area.width, (to.y - from.y) / area.height];
    if (!dx && !dy) return;
    if (event.pointerType === 'touch' && !panel().xRange && !panel().yRange) return; // a finger reads values, or swipes to the next plot
    change(panel().id, { xRange: moved(shown.x, dx), ...(panel().yRange || isPortrait(panel()) ? { yRange: moved(shown.y, dy) } : {}) });
  };
  const onUp = (event: PointerEvent) => {
    if (event.pointerType === 'touch' && fingers.count === 1) read(fingers.placeOf(event)); // a tap
    fingers.up(event);
  };
  // A swipe: the plot goes away under the finger.
  const onCancel = (event: PointerEvent) => {
    fingers.up(event);
    onCursor(null);
  };
  const onLeave = (event: PointerEvent) => event.pointerType !== 'touch' && onCursor(null);
  const onTwice = () => change(panel().id, { xRange: null, yRange: null });
  canvas.addEventListener('wheel', onWheel, { passive: false });
  canvas.addEventListener('pointerdown', onDown);
  canvas.addEventListener('pointermove', onMove);
  canvas.addEventListener('pointerup', onUp);
  canvas.addEventListener('pointercancel', onCancel);
  canvas.addEventListener('pointerleave', onLeave);
  canvas.addEventListener('dblclick', onTwice);
}

// Keeps a plot up to date: whatever it shows is asked for again when it may have changed.
class Painter {
  chart: Chart | null = null;
  values: Values | null = null;
  cursor: number | null = null;
  private columns: string[] = [];
  private asking = false;
  private asked = '';

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly panel: () => Panel,
    readonly onLegend: () => void,
  ) {}

  async refresh() {
    if (this.asking || this.canvas.clientWidth === 0 || !store.description.value) return;
    const panel = this.panel();
    const [from, to] = shownTime(panel);
    const columns = columnsOf(panel);
    const { now, end } = timeline();
    const plain = panel.kind === 'value' && !isPortrait(panel);
    // A spectrum has all ticks of what is seen: what is left out would come back as a frequency that is not there.
    const points = panel.kind === 'spectrum' ? 16384 : plain ? this.canvas.clientWidth : 4 * this.canvas.clientWidth;
    const wish = { columns, from, to, points, envelope: plain };
    const key = JSON.stringify([wish, now, end, panel, actions.theLab().past.version, store.theme.value, language.value, trajectory.value?.name, store.info.value?.version]);
    if (key === this.asked && this.values?.complete) return;
    this.asking = true;
    const values = columns.length ? await read(wish).catch(() => null) : null;
    this.asking = false;
    if (!values && columns.length) return;
    this.asked = key;
    this.values = values ?? { times: new Float64Array(), columns: [], step: 1, coarse: false, complete: true };
    this.columns = columns;
    this.paint();
  }

  paint() {
    const panel = this.panel();
    const columns = columnsOf(panel);
    if (!this.values || JSON.stringify(columns) !== JSON.stringify(this.columns)) return;
    this.chart = { ...chartOf(panel, this.values, this.columns), cursor: isPortrait(panel) ? null : this.cursor };
    charts.set(panel.id, this.chart);
    draw(this.canvas, this.chart, inkOf());
    this.onLegend();
  }
}

export function valueText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return (size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : String(Number(value.toPrecision(5)))).replace('-', '−').replace('e−', 'e-');
}

// Of several curves of one quantity the legend tells which; the axis says of what.
function shortTitles(titles: string[]): string[] {
  const word = /^[a-z]{3,}′? (?=.)/i.exec(titles[0] ?? '')?.[0];
  return word && titles.length > 1 && titles.every((title) => title.startsWith(word)) ? titles.map((title) => title.slice(word.length)) : titles;
}

// Colours and names; values under the cursor, or of now.
function Legend({ painter }: { painter: Painter | null; drawn: number }) {
  const chart = painter?.chart;
  if (!chart?.lines.length) return null;
  const at = painter!.cursor ?? timeline().now;
  const over = isPortrait(painter!.panel());
  const valueOf = (i: number): string => {
    const line = chart.lines[i]!;
    if (over) return Array.isArray(chart.now) ? valueText(chart.now[i]!.y) : '';
    return valueText(line.y[indexAt(line.x, at)] ?? NaN);
  };
  const titles = shortTitles(chart.lines.map(({ title }) => title));
  return (
    <ul class="legend" data-shows="legend">
      {painter!.cursor !== null && !over && <li class="at">{valueText(painter!.cursor)}</li>}
      {chart.lines.map(({ title, color, dash }, i) => (
        <li key={title}>
          <svg width="18" height="8" aria-hidden="true"><line x1="0" x2="18" y1="4" y2="4" stroke={color} stroke-width="3" stroke-dasharray={dash.join(' ')} /></svg>
          <span class="of">{titles[i]}</span> <span class="value">{valueOf(i)}</span>
        </li>
      ))}
    </ul>
  );
}

export function Plot({ panel, caption, title, children }: { panel: Panel; caption: string; title: string; children?: preact.ComponentChildren }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<Painter | null>(null);
  const latest = useRef(panel);
  const [drawn, setDrawn] = useState(0);
  latest.current = panel;
  useEffect(() => {
    const holder = canvas.current!;
    const own = new Painter(holder, () => latest.current, () => setDrawn((n) => n + 1));
    painter.current = own;
    listen(holder, () => latest.current, () => own.chart, (x) => {
      own.cursor = x;
      own.paint();
    });
    const sizes = new ResizeObserver(() => own.paint());
    sizes.observe(holder);
    const timer = setInterval(() => void own.refresh(), 90);
    return () => {
      clearInterval(timer);
      sizes.disconnect();
      charts.delete(latest.current.id);
    };
  }, []);
  useEffect(() => {
    void painter.current?.refresh();
    painter.current?.paint();
  }, [panel]);
  void stems.value;
  const isWanted = wanted.value === panel.id;
  useEffect(() => {
    if (!isWanted) return;
    canvas.current!.parentElement!.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    wanted.value = null;
  }, [isWanted]);
  return (
    <figure class={['angles', 'error', 'divergence'].includes(panel.what) ? 'wide' : ''} data-panel={panel.id}>
      <figcaption>
        {children ?? caption}
        <span class="space" />
        {(panel.xRange || panel.yRange) && <Button name={`plot-follow-${panel.id}`} class="icon small" title={t('plot.follow')} onClick={() => change(panel.id, { xRange: null, yRange: null })}><Icon name="fit" /></Button>}
        <Button name={`plot-settings-${panel.id}`} class="icon small" title={t('plot.settings')} pressed={openSettings.value === panel.id} onClick={() => (openSettings.value = openSettings.value === panel.id ? null : panel.id)}><Icon name="more" /></Button>
      </figcaption>
      <Legend painter={painter.current} drawn={drawn} />
      <canvas class={panel.xRange || panel.yRange ? 'plot zoomed' : 'plot'} ref={canvas} role="img" aria-label={title} data-plot={panel.what} />
      {openSettings.value === panel.id && <Settings panel={panel} chart={() => painter.current?.chart ?? null} canvas={() => canvas.current!} />}
    </figure>
  );
}

export function captionOf(panel: Panel): string {
  if (panel.kind === 'spectrum') return `${t('plot.spectrum')}: ${columnsOf(panel).map(titleOf).join(', ')}`;
  const y = panel.y.map(titleOf).join(', ') || t('plot.nothing');
  return panel.x === 't' ? y : `${titleOf(panel.x)}, ${y}`;
}
