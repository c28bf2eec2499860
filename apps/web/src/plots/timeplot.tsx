// Quantities over time.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import * as actions from '../actions';
import { ticksPerSecond } from '../rows';
import * as store from '../store';
import { t } from '../texts';
import { trajectory } from '../files/trajectory';
import { shownLayout, shownLinks, shownRows, shownSeconds, shownStamp } from './series';

export type Quantity = 'angles' | 'error' | 'divergence';

function colors() {
  const style = getComputedStyle(document.documentElement);
  return { ink: style.getPropertyValue('--faint'), grid: style.getPropertyValue('--line') };
}

// Ticks of tiny numbers keep as many digits as tell them apart.
function tickTexts(_: uPlot, ticks: number[]): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  if (largest !== 0 && (largest < 1e-3 || largest >= 1e5)) return ticks.map((tick) => (tick === 0 ? '0' : tick.toExponential(1)));
  return ticks.map((tick) => String(Number(tick.toPrecision(6))));
}

function options(quantity: Quantity, labels: { label: string; color: string }[], width: number, height: number): uPlot.Options {
  const { ink, grid } = colors();
  const axis: uPlot.Axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif', size: 26 };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 10, 0, 0],
    scales: {
      x: {
        time: false,
        range: (plot) => {
          const last = plot.data?.[0]?.at(-1) ?? 0;
          return [Math.max(0, last - shownSeconds()), Math.max(last, shownSeconds() / 8)];
        },
      },
      y: quantity === 'divergence' ? { distr: 3, range: [1e-9, 1.2] } : {},
    },
    axes: [{ ...axis, values: (_plot, ticks) => ticks.map((tick) => `${Number(tick.toPrecision(6))} s`) }, { ...axis, size: 52, ...(quantity === 'divergence' ? { splits: () => [1e-8, 1e-6, 1e-4, 1e-2, 1], filter: (_plot: uPlot, ticks: number[]) => ticks, values: (_plot: uPlot, ticks: number[]) => ticks.map((tick) => (tick === 1 ? '1' : tick.toExponential(0))) } : { values: tickTexts }) }],
    series: [{}, ...labels.map(({ label, color }) => ({ label, stroke: color, width: 1.5, points: { show: false } }))],
  };
}

function linesOf(quantity: Quantity): { labels: { label: string; color: string }[]; data(): uPlot.AlignedData } {
  const view = actions.theView();
  if (quantity === 'angles') {
    const links = shownLinks();
    return {
      labels: links.map(({ link, label }) => ({ label: `θ${label}`, color: view.colorOf(link) })),
      data() {
        const { times, rows } = shownRows();
        return [times, ...links.map(({ theta }) => rows.map((row) => row[theta]!))];
      },
    };
  }
  if (quantity === 'error') {
    const at = shownLayout().at('energy_error');
    return {
      labels: [{ label: t('energy.error'), color: view.colorOf(0) }],
      data() {
        const { times, rows } = shownRows();
        return [times, rows.map((row) => row[at]!)];
      },
    };
  }
  const { ghosts } = store;
  return {
    labels: ghosts.value.map((_, i) => ({ label: t('ghost.number', { number: i + 1 }), color: view.colorOf(i) })),
    data() {
      const { divergence } = actions.theLab();
      const tracks = ghosts.value.map((_, i) => divergence.trackOf(i));
      const times = tracks[0]?.ticks.map((tick) => tick / ticksPerSecond) ?? [];
      return [times, ...tracks.map(({ partings }) => partings.map((parting) => (parting > 0 ? parting : null)))];
    },
  };
}

export function TimePlot({ quantity, title }: { quantity: Quantity; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const shape = store.description.value ? `${store.description.value.chains.map((chain) => chain.length.length)}|${store.description.value.columns.length}|${store.ghosts.value.length}|${trajectory.value?.name}` : '';
  const theme = store.theme.value;
  useEffect(() => {
    const holder = box.current;
    if (!holder || !shape) return;
    const { labels, data } = linesOf(quantity);
    const plot = new uPlot(options(quantity, labels, holder.clientWidth, holder.clientHeight), data(), holder);
    const sizes = new ResizeObserver(() => plot.setSize({ width: holder.clientWidth, height: holder.clientHeight }));
    sizes.observe(holder);
    let before = '';
    const timer = setInterval(() => {
      const stamp = shownStamp();
      if (stamp === before || holder.clientWidth === 0) return;
      before = stamp;
      plot.setData(data());
    }, 80);
    return () => {
      clearInterval(timer);
      sizes.disconnect();
      plot.destroy();
    };
  }, [quantity, shape, theme]);
  return <div class="plot" ref={box} role="img" aria-label={title} data-plot={quantity} />;
}
