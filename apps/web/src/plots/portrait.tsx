// One quantity against another: phase portraits and pairs of angles. Angles are shown within one turn.
import { useEffect, useRef } from 'preact/hooks';
import * as actions from '../actions';
import * as store from '../store';
import { shownLinks, shownRows, shownStamp } from './series';

export type Pairing = 'phase' | 'adjacent';

interface Pair {
  x: number;
  y: number;
  wrapY: boolean;
  color: string;
}

function pairsOf(pairing: Pairing): Pair[] {
  const links = shownLinks();
  const view = actions.theView();
  // A single link has no neighbour: its own phase portrait stands in.
  if (pairing === 'phase' || links.length < 2) {
    return links.map(({ theta, omega, link }) => ({ x: theta, y: omega, wrapY: false, color: view.colorOf(link) }));
  }
  return links.slice(1).map(({ theta, link }, i) => ({ x: links[i]!.theta, y: theta, wrapY: true, color: view.colorOf(link) }));
}

function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

const margin = { left: 34, right: 10, top: 10, bottom: 22 };

function draw(canvas: HTMLCanvasElement, pairing: Pairing) {
  const pixels = Math.min(2, window.devicePixelRatio);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== width * pixels || canvas.height !== height * pixels) {
    canvas.width = width * pixels;
    canvas.height = height * pixels;
  }
  const pen = canvas.getContext('2d')!;
  pen.setTransform(pixels, 0, 0, pixels, 0, 0);
  pen.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const { rows } = shownRows();
  const pairs = pairsOf(pairing);
  let tallest = pairs[0]?.wrapY ? Math.PI : 1;
  if (!pairs[0]?.wrapY) for (const row of rows) for (const { y } of pairs) tallest = Math.max(tallest, Math.abs(row[y]!));
  if (!Number.isFinite(tallest)) tallest = 1;
  const inner = { w: width - margin.left - margin.right, h: height - margin.top - margin.bottom };
  const px = (x: number) => margin.left + ((x + Math.PI) / (2 * Math.PI)) * inner.w;
  const py = (y: number) => margin.top + (0.5 - y / (2.1 * tallest)) * inner.h;
  pen.strokeStyle = style.getPropertyValue('--line');
  pen.fillStyle = style.getPropertyValue('--faint');
  pen.font = '11px system-ui, sans-serif';
  pen.lineWidth = 1;
  pen.textAlign = 'center';
  for (const [x, text] of [[-Math.PI, '−π'], [0, '0'], [Math.PI, 'π']] as const) {
    pen.beginPath();
    pen.moveTo(px(x), margin.top);
    pen.lineTo(px(x), height - margin.bottom);
    pen.stroke();
    pen.fillText(text, px(x), height - 7);
  }
  pen.textAlign = 'right';
  const high = pairs[0]?.wrapY ? Math.PI : Number(tallest.toPrecision(2));
  for (const y of [-high, 0, high]) {
    pen.beginPath();
    pen.moveTo(margin.left, py(y));
    pen.lineTo(width - margin.right, py(y));
    pen.stroke();
    pen.fillText(pairs[0]?.wrapY ? (y === 0 ? '0' : y < 0 ? '−π' : 'π') : String(y), margin.left - 5, py(y) + 4);
  }
  for (const { x, y, wrapY, color } of pairs) {
    pen.strokeStyle = pen.fillStyle = color;
    const pieces = 4; // older ones paler
    for (let piece = 0; piece < pieces; piece++) {
      pen.globalAlpha = 0.2 + (0.7 * (piece + 1)) / pieces;
      pen.beginPath();
      const from = Math.max(1, Math.floor((rows.length * piece) / pieces));
      const to = Math.floor((rows.length * (piece + 1)) / pieces);
      for (let i = from; i < to; i++) {
        const [ax, bx] = [wrapped(rows[i - 1]![x]!), wrapped(rows[i]![x]!)];
        const [ay, by] = wrapY ? [wrapped(rows[i - 1]![y]!), wrapped(rows[i]![y]!)] : [rows[i - 1]![y]!, rows[i]![y]!];
        if (Math.abs(bx - ax) > 3 || (wrapY && Math.abs(by - ay) > 3)) continue;
        pen.moveTo(px(ax), py(ay));
        pen.lineTo(px(bx), py(by));
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const last = rows[rows.length - 1];
    if (!last) continue;
    pen.beginPath();
    pen.arc(px(wrapped(last[x]!)), py(wrapY ? wrapped(last[y]!) : last[y]!), 3.2, 0, 7);
    pen.fill();
  }
}

export function Portrait({ pairing, title }: { pairing: Pairing; title: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shape = store.description.value?.columns;
  const theme = store.theme.value;
  useEffect(() => {
    const holder = canvas.current;
    if (!holder || !shape) return;
    let before = '';
    const sizes = new ResizeObserver(() => {
      before = '';
    });
    sizes.observe(holder);
    const timer = setInterval(() => {
      const stamp = shownStamp();
      if (stamp === before || holder.clientWidth === 0) return;
      before = stamp;
      draw(holder, pairing);
    }, 80);
    return () => {
      clearInterval(timer);
      sizes.disconnect();
    };
  }, [pairing, shape, theme]);
  return <canvas class="plot" ref={canvas} role="img" aria-label={title} data-plot={pairing} />;
}
