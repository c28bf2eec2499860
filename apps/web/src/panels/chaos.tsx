// Chaos: maps from coarse to fine, exponents that grow, sections by clicks, bifurcation diagrams.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as map from '../chaos/map';
import * as tools from '../chaos/tools';
import * as store from '../store';
import { t } from '../texts';
import { Button, Choice, numberFrom, Stale, Typed } from './controls';

const short = (value: number) => Number(value.toPrecision(4)).toString();

// ---- maps

// Where on a canvas a pointer is, in parts of its size, from the lower left.
function partOf(event: MouseEvent): [number, number] {
  const { left, bottom, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  return [(event.clientX - left) / width, (bottom - event.clientY) / height];
}

// Lines beyond which no start has the energy for an event, over the picture. A place of the grid is the middle of its pixel.
function Limits({ of }: { of: map.Picture }) {
  const [n, m] = of.shape;
  const d = of.limits.flatMap(({ lines }) => lines).map(([a, b, c, e]) => `M${(a + 0.5).toFixed(2)} ${(m - b - 0.5).toFixed(2)}L${(c + 0.5).toFixed(2)} ${(m - e - 0.5).toFixed(2)}`).join('');
  return <svg viewBox={`0 0 ${n} ${m}`} preserveAspectRatio="none" aria-hidden="true" data-shows="map-lines"><path d={d} vector-effect="non-scaling-stroke" /></svg>;
}

// What its colours mean.
function Legend({ of }: { of: map.Picture }) {
  void map.drawnTo.value; // what the picture holds is not what it was
  if (!(of.high >= of.low)) return null;
  const sorts = map.sortsOf(of);
  if (sorts) return <span data-shows="map-scale">{sorts.map((sort) => <span key={sort}><span class="swatch" style={{ background: `rgb(${map.colorFor(of, sort).join(' ')})` }} /> {sort + 1} </span>)}</span>;
  const ends = Array.from({ length: 9 }, (_, i) => `rgb(${map.colorFor(of, of.low + (i / 8) * (of.high - of.low)).join(' ')})`);
  return (
    <span class="scale" data-shows="map-scale">
      {of.measure} {short(of.low)} <span class="ramp" style={{ background: `linear-gradient(to right, ${ends.join(', ')})` }} /> {short(of.high)} · <span class="swatch none" /> {t('chaos.map.none')}
    </span>
  );
}

function MapPicture({ of }: { of: map.Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<[number, number] | null>(null);
  const drawn = map.drawnTo.value;
  useEffect(() => map.paint(of, canvas.current!), [of, drawn]);
  const place = (event: MouseEvent): [number, number] => partOf(event).map((part, axis) => Math.min(of.shape[axis]! - 1, Math.max(0, Math.floor(part * of.shape[axis]!)))) as [number, number];
  const [low, high] = [(axis: number) => of.axes[axis]!.values[0]!, (axis: number) => of.axes[axis]!.values.at(-1)!];
  const here = at && of.values[at[0] * of.shape[1] + at[1]]!;
  return (
    <figure class="map">
      <div class="over">
        <canvas ref={canvas} data-shows="map" role="img" aria-label={t('chaos.map.picture', { name: of.plan.name })} onMouseMove={(event) => setAt(place(event))} onMouseLeave={() => setAt(null)} onClick={(event) => void map.startCase(of, ...place(event))} />
        <Limits of={of} />
      </div>
      <figcaption>
        {of.axes.map(({ name }, axis) => <span key={name}>{name}: {short(low(axis))} … {short(high(axis))}</span>)}
        <Legend of={of} />
        <span data-shows="map-here">{at && `${of.axes.map(({ name, values }, axis) => `${name} = ${short(values[at[axis]!]!)}`).join(', ')}: ${Number.isFinite(here!) ? short(here!) : '–'}`}</span>
        {of.limits.map(({ measure, energy }) => <span key={measure} data-shows="map-limit">{t('chaos.map.limit', { measure, energy: short(energy) })}</span>)}
        <progress max={of.shape[0] * of.shape[1]} value={of.done} aria-label={t('chaos.map')} />
      </figcaption>
    </figure>
  );
}

function Maps() {
  const [name, setName] = useState('flip-map');
  const [count, setCount] = useState('256');
  const plan = () => map.planOf(name, name === 'magnetic-basins' ? 40 : 10, Number(count));
  return (
    <section>
      <h3>{t('chaos.map')}</h3>
      <p class="remark">{t('chaos.map.text')}</p>
      <Choice name="map-plan" label={t('chaos.map.of')} value={name} options={[...Object.keys(map.shippedPlans).map((one) => ({ value: one, text: one })), ...(map.hasLinks() ? [{ value: '', text: t('chaos.map.own') }] : [])]} onChange={setName} />
      <Choice name="map-size" label={t('chaos.map.size')} value={count} options={['64', '128', '256', '512'].map((one) => ({ value: one, text: `${one} × ${one}` }))} onChange={setCount} />
      <Button name="compute-map" onClick={() => (map.running.value ? map.stop() : plan() && void map.compute(plan()!))}>{t(map.running.value ? 'chaos.stop' : 'chaos.compute')}</Button>
      {map.refusal.value && <p class="mistake">{map.refusal.value}</p>}
      {map.picture.value && <MapPicture of={map.picture.value} />}
      {map.finished.value !== null && <p class="remark" data-shows="map-time">{t('chaos.map.took', { seconds: (map.finished.value / 1000).toFixed(1), first: ((map.firstCoarse.value ?? 0) / 1000).toFixed(1) })}</p>}
    </section>
  );
}

// ---- points and lines in a plane

interface Dot {
  x: number;
  y: number;
  color: string;
}

const colors = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9'];

function Plane({ name, dots, x, y, titles, lines = false, onPick }: { name: string; dots: Dot[][]; x: [number, number]; y: [number, number]; titles: [string, string]; lines?: boolean; onPick?(at: [number, number]): void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const one = canvas.current!;
    const scale = window.devicePixelRatio || 1;
    [one.width, one.height] = [Math.round(one.clientWidth * scale), Math.round(one.clientHeight * scale)];
    const pen = one.getContext('2d')!;
    const place = (dot: Dot): [number, number] => [((dot.x - x[0]) / (x[1] - x[0])) * one.width, one.height - ((dot.y - y[0]) / (y[1] - y[0])) * one.height];
    pen.clearRect(0, 0, one.width, one.height);
    for (const group of dots) {
      pen.strokeStyle = pen.fillStyle = group[0]?.color ?? colors[0]!;
      if (lines) {
        pen.beginPath();
        for (const dot of group) pen.lineTo(...place(dot));
        pen.stroke();
      } else {
        for (const dot of group) {
          const [px, py] = place(dot);
          pen.fillRect(px - scale / 2, py - scale / 2, 1.4 * scale, 1.4 * scale);
        }
      }
    }
  });
  const pick = (event: MouseEvent) => {
    const [u, v] = partOf(event);
    onPick?.([x[0] + u * (x[1] - x[0]), y[0] + v * (y[1] - y[0])]);
  };
  return (
    <figure class="map">
      <canvas ref={canvas} data-shows={name} class={onPick ? 'picked' : ''} role="img" aria-label={`${titles[1]} – ${titles[0]}`} onClick={onPick && pick} />
      <figcaption>
        <span>{titles[0]}: {short(x[0])} … {short(x[1])}</span>
        <span>{titles[1]}: {short(y[0])} … {short(y[1])}</span>
      </figcaption>
    </figure>
  );
}

function rangeOf(values: number[], least = 1e-9): [number, number] {
  const [low, high] = values.reduce(([a, b], value) => (Number.isFinite(value) ? [Math.min(a, value), Math.max(b, value)] : [a, b]), [Infinity, -Infinity]);
  if (!(high >= low)) return [0, 1];
  const rim = Math.max(least, 0.05 * (high - low));
  return [low - rim, high + rim];
}

function Field({ label, name, value, onChange }: { label: string; name: string; value: string; onChange(text: string): void }) {
  return (
    <label class="field wide">
      <span>{label}</span>
      <Typed type="text" data-control={name} spellcheck={false} autocomplete="off" value={value} onCommit={(text) => onChange(text.trim())} />
    </label>
  );
}

function NumberField({ label, name, value, min, max, whole = false, onChange }: { label: string; name: string; value: number; min?: number; max?: number; whole?: boolean; onChange(value: number): void }) {
  const commit = (text: string) => {
    const typed = numberFrom(text, min, max);
    if ('mistake' in typed) return typed.mistake;
    onChange(whole ? Math.round(typed.value) : typed.value);
    return null;
  };
  return (
    <label class="field wide">
      <span>{label}</span>
      <Typed data-control={name} value={String(value)} onCommit={commit} />
    </label>
  );
}

// ---- exponents

function Spectrum() {
  const [seconds, setSeconds] = useState(500);
  const { now, rows, work } = tools.spectrum;
  const grown = now.value;
  const width = grown?.width ?? 1;
  const lines = Array.from({ length: grown ? width - 1 : 0 }, (_, k) => Array.from({ length: rows.value.length / width }, (_, i) => ({ x: rows.value[i * width]!, y: rows.value[i * width + k + 1]!, color: colors[k % colors.length]! })));
  const late = lines.flat().filter(({ x }) => x > 0.1 * (grown?.time ?? 0));
  return (
    <section>
      <h3>{t('chaos.spectrum')}</h3>
      <NumberField label={t('chaos.seconds')} name="spectrum-seconds" value={seconds} min={1} max={1e6} onChange={setSeconds} />
      <Button name="grow-spectrum" onClick={() => (work.running.value ? work.stop() : void tools.growSpectrum(seconds))}>{t(work.running.value ? 'chaos.stop' : 'chaos.compute')}</Button>
      {work.refusal.value && <p class="mistake">{work.refusal.value}</p>}
      {grown && (
        <>
          <Stale of={work.of.value} />
          <Plane name="spectrum" lines dots={lines} x={[0, Math.max(1, grown.time)]} y={rangeOf(late.map(({ y }) => y))} titles={['t [s]', 'λ [1/s]']} />
          <table class="costs" data-shows="exponents">
            <tbody>
              {grown.exponents.map((exponent, k) => <tr key={k}><th scope="row">λ{k + 1}</th><td>{exponent === null ? '–' : exponent.toFixed(4)}</td><td>± {grown.intervals[k] === null ? '–' : grown.intervals[k]!.toFixed(4)}</td></tr>)}
            </tbody>
          </table>
          <p class="remark">{t(grown.settled ? (grown.chaotic ? 'chaos.is' : 'chaos.is-not') : 'chaos.unsettled', { time: grown.time.toFixed(0) })}</p>
        </>
      )}
    </section>
  );
}

// ---- sections

function Sections() {
  const [own, setOwn] = useState<tools.SectionWish | null>(null);
  const wish = own ?? tools.usualSection();
  const { work, points, reach, why, energy } = tools.section;
  const all = points.value;
  const [x, y] = [rangeOf([...all.map((one) => one.x), ...(reach.value?.[0] ?? [])]), rangeOf([...all.map((one) => one.y), ...(reach.value?.[1] ?? [])])];
  const groups = [...new Set(all.map(({ start }) => start))].map((start) => all.filter((one) => one.start === start).map((one) => ({ ...one, color: colors[start % colors.length]! })));
  return (
    <section>
      <h3>{t('chaos.section')}</h3>
      <p class="remark">{t('chaos.section.text')}</p>
      <Field label={t('chaos.section.when')} name="section-when" value={wish.when} onChange={(when) => setOwn({ ...wish, when })} />
      <Field label={t('chaos.section.axes')} name="section-axes" value={wish.axes.join(', ')} onChange={(text) => setOwn({ ...wish, axes: [text.split(',')[0]!.trim(), (text.split(',')[1] ?? '').trim()] })} />
      <Button name="open-section" onClick={() => void tools.openSection(wish)}>{t('chaos.section.open')}</Button>
      {work.running.value && <Button name="stop-section" class="button quiet" onClick={() => tools.stopSection()}>{t('chaos.stop')}</Button>}
      {work.refusal.value && <p class="mistake">{work.refusal.value}</p>}
      {tools.section.wish.value && <Stale of={work.of.value} />}
      {why.value && <p class="remark">{why.value}</p>}
      {tools.section.wish.value && <Plane name="section" dots={groups} x={x} y={y} titles={tools.section.wish.value.axes} onPick={why.value ? undefined : tools.startAt} />}
      {energy.value !== null && tools.section.wish.value && <p class="remark" data-shows="section-points">{t('chaos.section.points', { count: all.length, energy: short(energy.value) })}</p>}
    </section>
  );
}

// ---- bifurcations

const limits = { from: {}, to: {}, count: { min: 1, max: 10_000, whole: true }, period: { min: 0 } };

function Diagrams() {
  const [own, setOwn] = useState<tools.DiagramWish | null>(null);
  const wish = own ?? tools.usualDiagram();
  const set = (values: Partial<tools.DiagramWish>) => setOwn({ ...wish, ...values });
  const number = (key: 'from' | 'to' | 'count' | 'period') => <NumberField label={t(`chaos.diagram.${key}`)} name={`diagram-${key}`} value={wish[key]} {...limits[key]} onChange={(value) => set({ [key]: value })} />;
  const { work, columns, parameters } = tools.diagram;
  const shown = tools.diagram.wish.value;
  const dots = columns.value.map((values, k) => Array.from(values, (y) => ({ x: parameters.value[k]!, y, color: colors[0]! })));
  return (
    <section>
      <h3>{t('chaos.diagram')}</h3>
      <Field label={t('chaos.diagram.along')} name="diagram-along" value={wish.along} onChange={(along) => set({ along })} />
      {number('from')}
      {number('to')}
      {number('count')}
      <Field label={t('chaos.diagram.record')} name="diagram-record" value={wish.record} onChange={(record) => set({ record })} />
      {number('period')}
      {wish.period <= 0 && <Field label={t('chaos.section.when')} name="diagram-when" value={wish.when} onChange={(when) => set({ when })} />}
      <Button name="draw-diagram" onClick={() => (work.running.value ? work.stop() : void tools.drawDiagram(wish))}>{t(work.running.value ? 'chaos.stop' : 'chaos.compute')}</Button>
      {work.refusal.value && <p class="mistake">{work.refusal.value}</p>}
      {shown && columns.value.length > 0 && <Stale of={work.of.value} />}
      {shown && columns.value.length > 0 && <Plane name="diagram" dots={dots} x={rangeOf([shown.from, shown.to])} y={rangeOf(dots.flat().map(({ y }) => y))} titles={[shown.along, shown.record]} />}
    </section>
  );
}

// ---- modes

function Modes() {
  const { work, found } = tools.modes;
  const now = found.value;
  return (
    <section>
      <h3>{t('chaos.modes')}</h3>
      <p class="remark">{t('chaos.modes.text')}</p>
      <Button name="find-modes" onClick={() => void tools.findModes()}>{t('chaos.compute')}</Button>
      {work.refusal.value && <p class="mistake">{work.refusal.value}</p>}
      {now && <Stale of={work.of.value} />}
      {now && <p class="remark">{now.stability}</p>}
      {now && (
        <table class="costs" data-shows="modes">
          <tbody>
            {now.modes.slice(0, 40).map(({ frequency, damping }, i) => (
              <tr key={i}>
                <th scope="row">{i + 1}</th>
                <td>{frequency.toPrecision(6)} rad/s</td>
                <td>{damping === 0 ? '' : `D ${damping.toPrecision(3)}`}</td>
                <td><Button name={`show-mode-${i + 1}`} class="button quiet" onClick={() => void tools.showMode(i)}>{t('chaos.modes.show')}</Button></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

export function ChaosPanel() {
  void store.description.value;
  return (
    <div class="panel chaos">
      <Maps />
      <Spectrum />
      <Sections />
      <Diagrams />
      <Modes />
    </div>
  );
}
