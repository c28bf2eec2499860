// What is drawn over the picture while somebody draws: the grid, pivots, what is selected and what is on its way, and what the
// engine says of it, at the parts concerned.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { Point, SceneDocument } from '../engine/protocol';
import * as edits from '../scene/build';
import { chainsOf } from '../scene/document';
import { distance, inPlane, onPlane, placeOf, type Table } from '../scene/space';
import * as store from '../store';
import { t } from '../texts';
import { draft, drawing, hints, hovered, placeOfPart, plane, refusal, selection, tied, tool } from './builder';
import { gridStep } from './snapping';

const seen = signal(''); // what the picture shows

// To be called at every frame.
export function followPicture() {
  if (drawing.value) seen.value = actions.theView().drawnAs;
}

type Spot = { x: number; y: number };
const spotOf = (point: Point): Spot => actions.theView().seenAt(point);
const path = (points: Point[], closed = true) => `M${points.map(spotOf).map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}${closed ? 'Z' : ''}`;

const most = 80; // lines each way

// Face on it fills the picture; seen from elsewhere it lies around what there is.
function Grid() {
  const view = actions.theView();
  const { clientWidth: width, clientHeight: height } = view.canvas;
  const step = 5 * gridStep(view.pixelsPerMetre);
  const on = plane.value;
  const [right, up] = inPlane(on);
  const corners = store.mode.value === '2d' ? [view.onPlane(0, height, on), view.onPlane(width, 0, on)] : [-1, 1].map((side) => onPlane(on, 0, 0).map((c, i) => (i === on.across ? c : view.middle[i]! + side * 1.2 * view.size)) as Point);
  const [low, high] = corners;
  if (!low || !high) return null;
  const lines: string[] = [];
  for (let i = Math.ceil(low[right] / step), n = 0; i * step <= high[right] && n < most; i++, n++) lines.push(path([onPlane(on, i * step, low[up]), onPlane(on, i * step, high[up])], false));
  for (let i = Math.ceil(low[up] / step), n = 0; i * step <= high[up] && n < most; i++, n++) lines.push(path([onPlane(on, low[right], i * step), onPlane(on, high[right], i * step)], false));
  return <path class="grid" d={lines.join('')} />;
}

// Around a body, in the plane.
function outline(body: Table): string {
  const size = edits.sizeOf(body);
  if (edits.isBar(body)) return path(edits.endsOf(body), false);
  if (body.shape === 'box' || (body.size && body.shape === undefined)) {
    const { right, up } = edits.faceOf(body);
    return path([[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) => edits.toWorld(body, right.map((c, i) => a! * c + b! * up[i]!) as Point)));
  }
  return circle(placeOf(body), Math.max(size[0] / 2, 8 / actions.theView().pixelsPerMetre));
}

function circle(at: Point, radius: number): string {
  const on = { ...plane.value, at: at[plane.value.across] };
  const [right, up] = inPlane(on);
  return path(Array.from({ length: 32 }, (_, i) => onPlane(on, at[right] + radius * Math.cos((i * Math.PI) / 16), at[up] + radius * Math.sin((i * Math.PI) / 16))));
}

function Selected({ doc }: { doc: SceneDocument }) {
  return (
    <>
      {selection.value.map((part) => {
        const { list, index, link } = part;
        const key = `${list}${index}.${link ?? ''}`;
        if (!edits.partOf(doc, part)) return null;
        if (list === 'bodies') return <path key={key} class="chosen-part" d={outline(edits.listOf(doc, 'bodies')[index]!)} />;
        if (list === 'chains') {
          const ends = edits.linkEnds(doc, index).filter((_, k) => link === undefined || k === link);
          return <path key={key} class="chosen-part" d={ends.map(({ from, to }) => path([from, to], false)).join('')} />;
        }
        return edits.placesOf(doc).filter((place) => place.list === list && place.index === index).map(({ at }, i) => {
          const { x, y } = spotOf(at);
          return <circle key={`${key}${i}`} class="chosen-part" cx={x} cy={y} r={12} />;
        });
      })}
    </>
  );
}

const lengthOf = (metres: number) => `${Number(metres.toPrecision(3))} m`;

// What is on its way, with its length and angle.
function Draft() {
  const now = draft.value;
  const hover = hovered.value;
  if (!now) {
    if (!hover) return null;
    const { x, y } = spotOf(hover.at);
    return <circle class={`snap ${hover.to}`} cx={x} cy={y} r={hover.to === 'point' ? 9 : 4} />;
  }
  const { from, to } = now;
  const [a, b] = [spotOf(from), spotOf(to.at)];
  const way = distance(from, to.at);
  const [right, up] = inPlane(plane.value);
  const flat = Math.abs(to.at[plane.value.across] - from[plane.value.across]) < 1e-9;
  const angle = Math.round((Math.atan2(to.at[up] - from[up], to.at[right] - from[right]) * 1800) / Math.PI) / 10;
  const box = ['plate', 'box'].includes(tool.value);
  const round = tool.value === 'wheel';
  const shape = box ? path([from, onPlane(plane.value, to.at[right], from[up]), to.at, onPlane(plane.value, from[right], to.at[up])]) : round ? circle(from, way) : path([from, to.at], false);
  const text = box ? `${lengthOf(Math.abs(to.at[right] - from[right]))} × ${lengthOf(Math.abs(to.at[up] - from[up]))}` : round ? `r ${lengthOf(way)}` : flat ? `${lengthOf(way)}, ${angle}°` : lengthOf(way);
  return (
    <>
      {way > 0 && <path class="draft" d={shape} />}
      <circle class="snap" cx={a.x} cy={a.y} r={5} />
      <circle class={`snap ${to.to}`} cx={b.x} cy={b.y} r={to.to === 'point' ? 9 : 5} />
      {way > 0 && <text class="measure" x={(a.x + b.x) / 2 + 10} y={(a.y + b.y) / 2 - 10}>{text}</text>}
    </>
  );
}

// Where things hold one another; what holds more than it needs is marked.
function Pivots({ doc }: { doc: SceneDocument }) {
  const redundant = new Set(hints.value.filter(({ part }) => part.list === 'joints').map(({ part }) => part.index));
  const ends = edits.listOf(doc, 'bodies').flatMap((body) => (edits.isBar(body) ? edits.endsOf(body) : []));
  return (
    <>
      {ends.map((at, i) => {
        const { x, y } = spotOf(at);
        return <circle key={`e${i}`} class="bar-end" cx={x} cy={y} r={4} />;
      })}
      {edits.placesOf(doc).map(({ at, list, index }, i) => {
        const { x, y } = spotOf(at);
        const joint = list === 'joints' ? edits.listOf(doc, 'joints')[index]! : null;
        const kind = `pivot${joint && redundant.has(index) ? ' redundant' : ''}${joint?.motor ? ' driven' : ''}${tied.value === index && joint ? ' tied' : ''}`;
        return (
          <g key={i}>
            <circle class={kind} cx={x} cy={y} r={6} />
            {joint?.motor && <path class="turning" d={`M${x - 11} ${y}A11 11 0 1 1 ${x} ${y + 11}l5 -4m-5 4l5 5`} />}
          </g>
        );
      })}
      {chainsOf(doc).map((_, c) => edits.linkEnds(doc, c).slice(0, 200).map(({ to }, k) => {
        const { x, y } = spotOf(to);
        return <circle key={`${c}.${k}`} class="bar-end" cx={x} cy={y} r={4} />;
      }))}
    </>
  );
}

// Where the weight of things acts, for a hand that moves it.
function Centres({ doc }: { doc: SceneDocument }) {
  return (
    <>
      {edits.centresOf(doc).map(({ at }, i) => {
        const { x, y } = spotOf(at);
        return (
          <g key={i} class="centre" transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
            <circle r={8} />
            <path d="M0 0V-8A8 8 0 0 1 8 0ZM0 0V8A8 8 0 0 1 -8 0Z" />
          </g>
        );
      })}
    </>
  );
}

function Hints({ doc }: { doc: SceneDocument }) {
  return (
    <>
      {hints.value.slice(0, 12).map(({ key, part }, i) => {
        const at = placeOfPart(doc, part);
        if (!at) return null;
        const { x, y } = spotOf(at);
        return <text key={i} class="hint" data-hint={key} x={x + 12} y={y + 20}>{t(`${key}.short`)}</text>;
      })}
    </>
  );
}

export function DrawingBoard() {
  if (!drawing.value) return null;
  void seen.value;
  const doc = store.scene.value;
  const wrong = refusal.value;
  const where = wrong && spotOf(wrong.at);
  const { clientWidth: width, clientHeight: height } = actions.theView().canvas;
  return (
    <div class="board">
      <svg aria-hidden="true" data-shows="board" width="100%" height="100%">
        {(store.mode.value === '2d' || plane.value.across !== 1 || plane.value.at !== 0) && <Grid />}
        <Pivots doc={doc} />
        <Selected doc={doc} />
        {tool.value === 'centre' && <Centres doc={doc} />}
        <Hints doc={doc} />
        <Draft />
        {where && <circle class="wrong" cx={where.x} cy={where.y} r={14} />}
      </svg>
      {wrong && where && (
        <p class="reason" role="alert" data-shows="refusal" style={{ left: `${Math.max(8, Math.min(width - 250, where.x - 20))}px`, top: `${Math.max(8, Math.min(height - 150, where.y + 20))}px` }}>{wrong.text}</p>
      )}
    </div>
  );
}
