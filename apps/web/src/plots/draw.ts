// A plot on a canvas: axes with titles, curves, a cursor. It knows numbers and colours, and nothing of what they mean.
import { typeScale } from '../type';

export interface Line {
  title: string;
  color: string;
  dash: number[];
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  turns: { x: boolean; y: boolean }; // angles, shown within one turn
}

export interface Axis {
  title: string; // with its unit
  range: [number, number];
  log: boolean;
  turns: boolean; // an angle within one turn: ticks at parts of pi
}

export interface Chart {
  lines: Line[];
  x: Axis;
  y: Axis;
  now: { x: number; y: number }[] | number | null; // points of this instant, or a line across
  fading: boolean; // older parts are paler
  cursor: number | null; // on the x axis of charts over time
}

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Ink {
  text: string;
  grid: string;
  strong: string;
}

const room = { left: 54, right: 12, top: 8, bottom: 34 };

export function areaOf(width: number, height: number): Area {
  const scale = typeScale();
  const margin = { left: scale * room.left, right: room.right, top: room.top, bottom: scale * room.bottom };
  return { left: margin.left, top: margin.top, width: Math.max(1, width - margin.left - margin.right), height: Math.max(1, height - margin.top - margin.bottom) };
}

// Where a value stands along an axis, 0 to 1.
export function partAlong({ range: [from, to], log }: Axis, value: number): number {
  return log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
}

export function valueAlong({ range: [from, to], log }: Axis, part: number): number {
  return log ? from * (to / from) ** part : from + part * (to - from);
}

const toX = (chart: Chart, area: Area, x: number) => area.left + partAlong(chart.x, x) * area.width;
const toY = (chart: Chart, area: Area, y: number) => area.top + (1 - partAlong(chart.y, y)) * area.height;

// 1, 2 or 5 times a power of ten, some `wanted` of them in the range.
export function ticksOf({ range: [from, to], log, turns }: Axis, wanted: number): number[] {
  if (!(to > from)) return [];
  if (log) {
    const [low, high] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
    const every = Math.max(1, Math.ceil((high - low + 1) / wanted));
    if (high - low >= 2) return Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, i) => 10 ** (low + i * every));
    // Few powers of ten: 2 and 5 times them as well; where even these are not there, as on a linear axis.
    const finer = [low - 1, low, low + 1, low + 2].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power)).filter((value) => value >= from && value <= to);
    if (finer.length > 1) return finer;
  }
  const rough = (to - from) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = turns && to - from > 3 ? Math.PI / (to - from > 7 ? 0.5 : 1) : [1, 2, 5, 10].find((n) => n * power >= rough)! * power;
  const first = Math.ceil(from / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(to / step + 1e-9) - first + 1) }, (_, i) => (first + i) * step);
}

// As many digits as tell them apart.
export function tickText(value: number, axis: Axis): string {
  if (axis.turns && Math.abs(value / Math.PI - Math.round(value / Math.PI)) < 1e-9) {
    const n = Math.round(value / Math.PI);
    return n === 0 ? '0' : `${n < 0 ? '−' : ''}${Math.abs(n) === 1 ? '' : Math.abs(n)}π`;
  }
  const largest = Math.max(...axis.range.map(Math.abs));
  if (value === 0 || (!axis.log && Math.abs(value) < 1e-9 * (axis.range[1] - axis.range[0]))) return '0'; // roundoff of what it is the difference of
  const tiny = largest < 1e-3 || largest >= 1e5 || (axis.log && (value < 1e-3 || value >= 1e5));
  const digits = Math.max(1, Math.ceil(Math.log10(largest / (axis.range[1] - axis.range[0]))) + 2);
  const rounded = Number(value.toPrecision(Math.min(12, digits + 2)));
  return (tiny ? rounded.toExponential().replace('e+', 'e') : String(rounded)).replace('-', '−').replace('e−', 'e-');
}

// Where all values of an axis are nearly the same, ticks say by how much they differ from this one.
export function baseOf({ range: [from, to], log, turns }: Axis): number {
  const ratio = Math.max(Math.abs(from), Math.abs(to)) / (to - from);
  return log || turns || !(ratio > 2000) ? 0 : Number(((from + to) / 2).toPrecision(Math.min(15, Math.ceil(Math.log10(ratio)))));
}

export function titleFrom(axis: Axis): string {
  const base = baseOf(axis);
  const sign = base < 0 ? '+' : '−';
  return base === 0 ? axis.title : axis.title.replace(/(?= \[)|$/, ` ${sign} ${Math.abs(base)}`);
}

export function textOfTick(value: number, axis: Axis): string {
  const base = baseOf(axis);
  return tickText(value - base, { ...axis, range: [axis.range[0] - base, axis.range[1] - base] });
}

// As much of a title as there is room for: the legend names what is drawn, and the axis has its unit at least.
export function fitting(pen: Pick<CanvasRenderingContext2D, 'measureText'>, title: string, most: number): string {
  const shorter = [title, title.replace(/^.*(?=\[[^\]]*\]$)/, ''), ''];
  return shorter.find((text) => pen.measureText(text).width <= most)!;
}

function drawAxes(pen: CanvasRenderingContext2D, chart: Chart, area: Area, ink: Ink) {
  pen.lineWidth = 1;
  pen.strokeStyle = ink.grid;
  pen.fillStyle = ink.text;
  const scale = typeScale();
  pen.font = `${11 * scale}px system-ui, sans-serif`;
  const bottom = area.top + area.height;
  pen.textAlign = 'center';
  for (const tick of ticksOf(chart.x, area.width / (70 * scale))) {
    const x = toX(chart, area, tick);
    pen.beginPath();
    pen.moveTo(x, area.top);
    pen.lineTo(x, bottom);
    pen.stroke();
    pen.fillText(textOfTick(tick, chart.x), x, bottom + 13 * scale);
  }
  pen.textAlign = 'right';
  for (const tick of ticksOf(chart.y, area.height / (34 * scale))) {
    const y = toY(chart, area, tick);
    pen.beginPath();
    pen.moveTo(area.left, y);
    pen.lineTo(area.left + area.width, y);
    pen.stroke();
    pen.fillText(textOfTick(tick, chart.y), area.left - 5, y + 4 * scale);
  }
  pen.textAlign = 'center';
  pen.fillText(titleFrom(chart.x), area.left + area.width / 2, bottom + 28 * scale, area.width);
  pen.save();
  const height = bottom + scale * room.bottom;
  pen.translate(10 * scale, height / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(fitting(pen, titleFrom(chart.y), height - 6), 0, 0);
  pen.restore();
}

// Neighbouring points are joined, but for gaps and for jumps over the edge of a turn.
export function segmentsOf(chart: Pick<Chart, 'x' | 'y'>, { x, y, turns }: Pick<Line, 'x' | 'y' | 'turns'>): [number, number][] {
  const far = (wraps: boolean, a: number, b: number) => wraps && Math.abs(b - a) > Math.PI;
  const out: [number, number][] = [];
  for (let i = 1; i < x.length; i++) {
    const [ax, ay, bx, by] = [x[i - 1]!, y[i - 1]!, x[i]!, y[i]!];
    if (![ax, ay, bx, by].every(Number.isFinite) || (chart.y.log && (ay <= 0 || by <= 0)) || (chart.x.log && (ax <= 0 || bx <= 0))) continue;
    if (!far(turns.x, ax, bx) && !far(turns.y, ay, by)) out.push([i - 1, i]);
  }
  return out;
}

function drawLine(pen: CanvasRenderingContext2D, chart: Chart, area: Area, line: Line) {
  const segments = segmentsOf(chart, line);
  const pieces = chart.fading ? 4 : 1;
  pen.strokeStyle = line.color;
  pen.lineWidth = 1.5;
  pen.setLineDash(line.dash);
  for (let piece = 0; piece < pieces; piece++) {
    pen.globalAlpha = chart.fading ? 0.2 + (0.7 * (piece + 1)) / pieces : 1;
    pen.beginPath();
    let end = -1;
    for (const [a, b] of segments.slice(Math.floor((segments.length * piece) / pieces), Math.floor((segments.length * (piece + 1)) / pieces))) {
      if (a !== end) pen.moveTo(toX(chart, area, line.x[a]!), toY(chart, area, line.y[a]!));
      pen.lineTo(toX(chart, area, line.x[b]!), toY(chart, area, line.y[b]!));
      end = b;
    }
    pen.stroke();
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}

function drawAcross(pen: CanvasRenderingContext2D, chart: Chart, area: Area, x: number, color: string, dash: number[]) {
  const at = toX(chart, area, x);
  if (!(at >= area.left - 1 && at <= area.left + area.width + 1)) return;
  pen.strokeStyle = color;
  pen.setLineDash(dash);
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(at, area.top);
  pen.lineTo(at, area.top + area.height);
  pen.stroke();
  pen.setLineDash([]);
}

export function draw(canvas: HTMLCanvasElement, chart: Chart, ink: Ink) {
  const pixels = Math.min(2, window.devicePixelRatio);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * pixels) || canvas.height !== Math.round(height * pixels)) {
    canvas.width = Math.round(width * pixels);
    canvas.height = Math.round(height * pixels);
  }
  // Drawn by the processor: it never waits for a graphics card that is busy with the picture.
  const pen = canvas.getContext('2d', { willReadFrequently: true })!;
  pen.setTransform(pixels, 0, 0, pixels, 0, 0);
  pen.clearRect(0, 0, width, height);
  const area = areaOf(width, height);
  drawAxes(pen, chart, area, ink);
  pen.save();
  pen.beginPath();
  pen.rect(area.left, area.top, area.width, area.height);
  pen.clip();
  for (const line of chart.lines) drawLine(pen, chart, area, line);
  if (typeof chart.now === 'number') drawAcross(pen, chart, area, chart.now, ink.strong, []);
  else if (chart.now) {
    chart.now.forEach(({ x, y }, i) => {
      pen.fillStyle = chart.lines[i]?.color ?? ink.strong;
      pen.beginPath();
      pen.arc(toX(chart, area, x), toY(chart, area, y), 3.2, 0, 7);
      pen.fill();
    });
  }
  if (chart.cursor !== null) drawAcross(pen, chart, area, chart.cursor, ink.text, [3, 3]);
  pen.restore();
}
