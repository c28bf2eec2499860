// Ruler and protractor over the picture, each with ends to drag.
import { signal, type Signal } from '@preact/signals';
import * as actions from '../actions';
import type { Point } from '../engine/protocol';
import { distance } from '../scene/space';
import { protractor, ruler } from './meters';

const seen = signal('');

// To be called at every frame.
export function followPictureWithTools() {
  if (ruler.value || protractor.value) seen.value = actions.theView().drawnAs;
}

const spot = (point: Point) => actions.theView().seenAt(point);

// `onMove`: from where it is by then, however quickly keys are pressed.
function End({ at, label, text, onMove }: { at: Point; label: string; text: string; onMove(to: (now: Point) => Point): void }) {
  const { x, y } = spot(at);
  const move = (event: PointerEvent) => {
    const handle = event.currentTarget as SVGElement;
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = actions.theView().canvas.getBoundingClientRect();
    const to = actions.theView().under(event.clientX - box.left, event.clientY - box.top, at);
    onMove(() => to);
  };
  const step = 4 / actions.theView().pixelsPerMetre;
  const keys: Record<string, Point> = { ArrowLeft: [-step, 0, 0], ArrowRight: [step, 0, 0], ArrowUp: [0, 0, step], ArrowDown: [0, 0, -step] };
  return (
    <circle class="tool-end" data-tool-end={label} role="slider" {...{ tabindex: 0 }} aria-label={label} aria-valuenow={Number.parseFloat(text)} aria-valuetext={text} cx={x} cy={y} r={13}
      onPointerDown={(event) => (event.currentTarget as SVGElement).setPointerCapture(event.pointerId)} onPointerMove={move}
      onKeyDown={(event) => {
        const by = keys[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        onMove((now) => now.map((c, i) => c + by[i]!) as Point);
      }} />
  );
}

// At the vertex, in degrees.
export function angleAt([from, about, to]: [Point, Point, Point]): number {
  const [a, b] = [from, to].map((end) => end.map((c, i) => c - about[i]!)) as [Point, Point];
  const dot = a.reduce((sum, c, i) => sum + c * b[i]!, 0);
  return (Math.acos(Math.max(-1, Math.min(1, dot / (Math.hypot(...a) * Math.hypot(...b) || 1)))) * 180) / Math.PI;
}

const moved = <Ends extends Point[]>(tool: Signal<Ends | null>, which: number) => (to: (now: Point) => Point) => {
  tool.value = tool.value && (tool.value.map((at, i) => (i === which ? to(at) : at)) as Ends);
};

export function MeasuringTools() {
  void seen.value;
  const [rule, fan] = [ruler.value, protractor.value];
  if (!rule && !fan) return null;
  const [long, wide] = [rule && `${Number(distance(...rule).toPrecision(4))} m`, fan && `${angleAt(fan).toFixed(1)}°`];
  const line = (a: Point, b: Point) => `M${spot(a).x} ${spot(a).y}L${spot(b).x} ${spot(b).y}`;
  return (
    <div class="board">
      <svg width="100%" height="100%">
        {rule && (
          <>
            <path class="measuring" d={line(...rule)} />
            <text class="measure" data-shows="ruler" x={(spot(rule[0]).x + spot(rule[1]).x) / 2 + 8} y={(spot(rule[0]).y + spot(rule[1]).y) / 2 - 12}>{long}</text>
            <End at={rule[0]} label="ruler 1" text={long!} onMove={moved(ruler, 0)} />
            <End at={rule[1]} label="ruler 2" text={long!} onMove={moved(ruler, 1)} />
          </>
        )}
        {fan && (
          <>
            <path class="measuring" d={line(fan[1], fan[0]) + line(fan[1], fan[2])} />
            <text class="measure" data-shows="protractor" x={spot(fan[1]).x + 16} y={spot(fan[1]).y - 14}>{wide}</text>
            <End at={fan[0]} label="protractor 1" text={wide!} onMove={moved(protractor, 0)} />
            <End at={fan[1]} label="protractor 2" text={wide!} onMove={moved(protractor, 1)} />
            <End at={fan[2]} label="protractor 3" text={wide!} onMove={moved(protractor, 2)} />
          </>
        )}
      </svg>
    </div>
  );
}
