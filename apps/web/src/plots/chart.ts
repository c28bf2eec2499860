// From what a panel asks for and the values that were told, to a chart.
import * as actions from '../actions';
import type { Axis, Chart, Line } from './draw';
import { columnOf, partOf, titleOf } from './columns';
import { curvesOf, isPortrait, shownSeconds, wraps, type Curve, type Panel } from './panels';
import { timeline, type Values } from './source';
import { rates, spectrum } from './transforms';
import { t } from '../texts';

// The last seconds; where the past is looked at, the time around it.
export function window(panel: Panel): [number, number] {
  const { begin, end, now } = timeline();
  if (panel.xRange && !isPortrait(panel) && panel.kind !== 'spectrum') return panel.xRange;
  const span = shownSeconds();
  if (!Number.isFinite(span)) return [begin, Math.max(end, begin + 1e-9)];
  if (now >= end - span) return [Math.max(begin, end - span), Math.max(end, begin + span / 8)];
  const from = Math.max(begin, now - span / 2);
  return [from, from + span];
}

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

// The colour of the part that a column is of; several columns of one part differ by their dashes.
function looks(curves: Curve[]): { color: string; dash: number[] }[] {
  const view = actions.theView();
  const parts = curves.map(({ y }) => partOf(y));
  return parts.map((part, i) => {
    const ghost = /^ghost/.test(curves[i]!.y) ? 1 : 0;
    const before = part < 0 ? 0 : parts.slice(0, i).filter((other) => other === part).length;
    return { color: view.colorOf(part < 0 ? i : part), dash: dashes[(before + ghost) % dashes.length]! };
  });
}

function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

const unitText = (unit: string) => (unit ? ` [${unit}]` : '');

// `step`: s over which rates are taken; 0: that of the ticks.
function axisTitle(panel: Panel, names: string[], step = 0): string {
  const units = [...new Set(names.map((name) => columnOf(name).unit))];
  const stems = [...new Set(names.map((name) => titleOf(name).replace(/ .*/, '')))];
  const unit = units.length === 1 ? units[0]! : units.filter(Boolean).join(', ');
  const what = stems.length <= 3 ? stems.join(', ') : '';
  const perSecond = unitText(unit ? `${unit}/s` : '1/s');
  if (panel.kind === 'rate') return step ? `Δ(${what})/Δt, Δt = ${Number((2 * step).toPrecision(2))} s${perSecond}` : `d(${what})/dt${perSecond}`;
  return `${what}${unitText(unit)}`;
}

export function extent(lists: ArrayLike<number>[], log: boolean): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const value = list[i]!;
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return log ? [1e-3, 1] : [-1, 1];
  if (log) return [low / 1.3, high * 1.3];
  // What differs by roundoff alone is the same.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > 1e-9 * size ? 0.05 * (high - low) : Math.max(size, 1e-12) * 0.05;
  return [low - room, high + room];
}

function linesOf(panel: Panel, curves: Curve[], values: Values, columns: string[]): Line[] {
  const look = looks(curves);
  const list = (name: string): ArrayLike<number> => (name === 't' ? values.times : values.columns[columns.indexOf(name)]!);
  return curves.map(({ x, y }, i) => {
    const title = titleOf(y);
    if (panel.kind === 'spectrum') {
      const { frequencies, amplitudes } = spectrum(values.step, list(y));
      return { title, ...look[i]!, x: frequencies, y: amplitudes, turns: { x: false, y: false } };
    }
    const turns = { x: wraps(panel, x), y: panel.kind !== 'rate' && wraps(panel, y) };
    const shown = panel.kind === 'rate' ? rates(values.times, list(y)) : turns.y ? Float64Array.from(list(y), wrapped) : list(y);
    const size = panel.log && !turns.y && Array.from(shown).some((value) => value < 0); // a logarithm has the size alone
    return { title: size ? `|${title}|` : title, ...look[i]!, x: turns.x ? Float64Array.from(list(x), wrapped) : list(x), y: size ? Float64Array.from(shown, Math.abs) : shown, turns };
  });
}

function xAxis(panel: Panel, curves: Curve[], lines: Line[]): Axis {
  if (panel.kind === 'spectrum') {
    const highest = Math.max(...lines.map(({ y }) => extent([y], false)[1]));
    let top = 0;
    for (const { x, y } of lines) for (let i = 0; i < x.length; i++) if (y[i]! > 1e-3 * highest) top = Math.max(top, x[i]!);
    return { title: `${t('plot.frequency')} [Hz]`, range: panel.xRange ?? [0, 1.15 * top || 1], log: false, turns: false };
  }
  if (!isPortrait(panel)) return { title: `${t('plot.time')} [s]`, range: panel.xRange ?? window(panel), log: false, turns: false };
  const names = curves.map(({ x }) => x);
  const turns = names.every((name) => wraps(panel, name));
  const title = axisTitle({ ...panel, kind: 'value' }, names);
  return { title, range: panel.xRange ?? (turns ? [-Math.PI, Math.PI] : extent(lines.map(({ x }) => x), false)), log: false, turns };
}

function yAxis(panel: Panel, curves: Curve[], lines: Line[], x: Axis, step: number): Axis {
  const names = curves.map(({ y }) => y);
  const plain = panel.kind === 'spectrum' ? `${t('plot.amplitude')}${unitText([...new Set(names.map((name) => columnOf(name).unit))].join(', '))}` : axisTitle(panel, names, step);
  const title = lines.some((line) => line.title.startsWith('|')) ? plain.replace(/^[^[]*[^[ ]/, '|$&|') : plain;
  const turns = names.length > 0 && names.every((name) => wraps(panel, name));
  if (panel.yRange && (!panel.log || panel.yRange[0] > 0)) return { title, range: panel.yRange, log: panel.log, turns };
  if (turns) return { title, range: [-Math.PI, Math.PI], log: false, turns };
  // What is seen decides, not what was told beside it.
  const seen = lines.map((line) => (isPortrait(panel) ? line.y : Array.from(line.y).filter((_, i) => line.x[i]! >= x.range[0] && line.x[i]! <= x.range[1])));
  return { title, range: extent(seen, panel.log), log: panel.log, turns };
}

// The values of an instant, by the last row at or before it.
export function indexAt(times: ArrayLike<number>, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

export function chartOf(panel: Panel, values: Values, columns: string[]): Chart {
  const curves = curvesOf(panel);
  const lines = linesOf(panel, curves, values, columns);
  const x = xAxis(panel, curves, lines);
  const y = yAxis(panel, curves, lines, x, values.coarse ? values.step : 0);
  const { now, end } = timeline();
  const at = indexAt(values.times, now);
  const dots = lines.map((line) => ({ x: line.x[at] ?? NaN, y: line.y[at] ?? NaN })).map((dot) => (Number.isFinite(dot.x + dot.y) ? dot : { x: NaN, y: NaN }));
  const portrait = isPortrait(panel);
  return { lines, x, y, now: portrait ? dots : panel.kind === 'spectrum' || now >= end ? null : now, fading: portrait, cursor: null };
}
