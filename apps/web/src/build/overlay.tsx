// What is drawn over the picture while somebody draws: the grid, pivots, what is selected and what is on its way, and what the
// engine says of it, at the parts concerned.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import type { Point, SceneDocument } from '../engine/protocol';
import * as edits from '../scene/build';
import { chainsOf } from '../scene/document';
import { distance, placeOf, type Table } from '../scene/space';
import * as store from '../store';
import { t } from '../texts';
import { draft, drawing, hints, hovered, placeOfPart, refusal, selection, tied, tool } from './builder';
import { gridStep } from './snapping';

const seen = signal(''); // what the picture shows

// To be called at every frame.
export function followPicture() {
  if (drawing.value) seen.value = actions.theView().drawnAs;
}

type Spot = { x: number; y: number };
const spotOf = (point: Point): Spot => actions.theView().seenAt(point);
const path = (points: Point[], closed = true) => `M${points.map(spotOf).map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}${closed ? 'Z' : ''}`;

function Grid() {
  const view = actions.theView();
  const { clientWidth: width, clientHeight: height } = view.canvas;
  const step = 5 * gridStep(view.pixelsPerMetre);
  const [low, high] = [view.onPlane(0, height), view.onPlane(width, 0)];
  const lines: string[] = [];
  const most = 80;
  for (let i = Math.ceil(low[0] / step), n = 0; i * step < high[0] && n < most; i++, n++) lines.push(path([[i * step, 0, low[2]], [i * step, 0, high[2]]], false));
  for (let i = Math.ceil(low[2] / step), n = 0; i * step < high[2] && n < most; i++, n++) lines.push(path([[low[0], 0, i * step], [high[0], 0, i * step]], false));
  return <path class="grid" d={lines.join('')} />;
}

// Around a body, in the plane.
function outline(body: Table): string {
  const size = edits.sizeOf(body);
  if (edits.isBar(body)) return path(edits.endsOf(body), false);
  if (body.shape === 'box' || (body.size && body.shape === undefined)) {
    const [x, , z] = size.map((c) => c / 2) as Point;
    return path([[-x, 0, -z], [x, 0, -z], [x, 0, z], [-x, 0, z]].map((corner) => edits.toWorld(body, corner as Point)));
  }
  return circle(placeOf(body), Math.max(size[0] / 2, 8 / actions.theView().pixelsPerMetre));
}

function circle(at: Point, radius: number): string {
  return path(Array.from({ length: 32 }, (_, i) => [at[0] + radius * Math.cos((i * Math.PI) / 16), at[1], at[2] + radius * Math.sin((i * Math.PI) / 16)] as Point));
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
  const angle = Math.round((Math.atan2(to.at[2] - from[2], to.at[0] - from[0]) * 1800) / Math.PI) / 10;
  const box = ['plate', 'box'].includes(tool.value);
  const round = tool.value === 'wheel';
  const shape = box ? path([from, [to.at[0], 0, from[2]], to.at, [from[0], 0, to.at[2]]]) : round ? circle(from, way) : path([from, to.at], false);
  const text = box ? `${lengthOf(Math.abs(to.at[0] - from[0]))} × ${lengthOf(Math.abs(to.at[2] - from[2]))}` : round ? `r ${lengthOf(way)}` : `${lengthOf(way)}, ${angle}°`;
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
        {store.mode.value === '2d' && <Grid />}
        <Pivots doc={doc} />
        <Selected doc={doc} />
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
