// Tools to draw with, what is selected by its numbers, what the engine says of the drawing, and the scene as a text.
import { useState } from 'preact/hooks';
import * as builder from '../build/builder';
import type { Json, Point } from '../engine/protocol';
import { wanted as wantedPlot, showColumns } from '../plots/panels';
import * as edits from '../scene/build';
import type { Part } from '../scene/build';
import { onPlane, placeOf, tidy, type Plane } from '../scene/space';
import { textOf, valueFrom } from '../scene/forces';
import * as store from '../store';
import { t, told } from '../texts';
import { Button, numberFrom, Slider, Typed } from './controls';
import { TextPane } from './text';

const degrees = 180 / Math.PI;
const axes = ['x', 'y', 'z'];

function ToolButton({ which, name, title }: { which: builder.Tool; name: string; title?: string }) {
  return (
    <button type="button" class="tool" data-tool={which} aria-pressed={builder.tool.value === which} title={title} onClick={() => builder.setTool(which)}>
      {name}
    </button>
  );
}

const jointName = (name: string) => {
  const own = t(`build.joint.${name}`);
  return own.startsWith('build.joint.') ? name : own;
};

function Palette() {
  const joints = builder.jointKinds();
  return (
    <div class="palette" role="group" aria-label={t('build.tools')}>
      <div class="tools">
        <ToolButton which="select" name={t('build.select')} title={t('build.select.text')} />
        {builder.bodyTools.map((which) => <ToolButton key={which} which={which} name={t(`build.${which}`)} title={t(`build.${which}.text`)} />)}
      </div>
      <div class="tools">
        {builder.otherTools.map((which) => <ToolButton key={which} which={which} name={t(`build.${which}`)} title={t(`build.${which}.text`)} />)}
        {joints.map(({ name, summary }) => <ToolButton key={name} which={`joint:${name}`} name={jointName(name)} title={told(`joint.${name}.summary`, summary)} />)}
      </div>
      <div class="tools">
        {builder.tieTools.map((which) => <ToolButton key={which} which={which} name={t(`build.${which}`)} title={t(`build.${which}.text`)} />)}
      </div>
    </div>
  );
}

// What the tool in hand wants.
function toolText(): string {
  const which = builder.tool.value;
  if (!which.startsWith('joint:')) return t(`build.${which}.text`);
  const kind = builder.jointKinds().find(({ name }) => name === which.slice(6));
  if (!kind) return '';
  if (kind.place === 'ties') return t(builder.tied.value === null ? 'build.tie.first' : 'build.tie.second');
  return t(kind.place === 'ends' ? 'build.ends.text' : edits.slides(kind) ? 'build.slides.text' : 'build.at.text');
}

const at = (part: Part): Point => builder.placeOfPart(store.scene.value, part) ?? [0, 0, 0];

// A number of the part; what the engine refuses stands beside the field, too.
function NumberField({ label, name, value, unit, onChange }: { label: string; name: string; value: number; unit?: string; onChange(value: number): Promise<boolean> }) {
  const commit = async (text: string) => {
    const typed = numberFrom(text);
    if ('mistake' in typed) return typed.mistake;
    return (await onChange(typed.value)) ? null : (builder.refusal.value?.text ?? '');
  };
  return (
    <label class="field short">
      <span>{label}{unit && <span class="unit">{unit}</span>}</span>
      <Typed data-typed={name} value={String(Number(value.toPrecision(8)))} onCommit={commit} />
    </label>
  );
}

function TextField({ label, name, value, onChange }: { label: string; name: string; value: string; onChange(text: string): Promise<boolean> }) {
  return (
    <label class="field short">
      <span>{label}</span>
      <Typed type="text" spellcheck={false} autocomplete="off" data-typed={name} value={value} onCommit={async (text) => ((await onChange(text)) ? null : (builder.refusal.value?.text ?? ''))} />
    </label>
  );
}

const change = (part: Part, make: () => ReturnType<typeof edits.setField>) => builder.draw(make, at(part));
const setField = (part: Part, key: string, value: Json) => change(part, () => edits.setField(store.scene.value, part.list, part.index, key, value));

function NameField({ part }: { part: Part }) {
  const doc = store.scene.value;
  return <TextField label={t('build.name')} name="part-name" value={edits.nameOf(edits.partOf(doc, part))} onChange={(text) => change(part, () => edits.renamed(doc, part, text.trim()))} />;
}

// Reactions of joints in the plane, with the plot coming into sight.
async function plotReactions(joints: string[]) {
  await showColumns(joints.slice(0, 4).flatMap((name) => [`fx_${name}`, `fz_${name}`]));
  store.sheetOpen.value = store.sheetOpen.value && wantedPlot.value !== null;
}

function BodyCard({ part }: { part: Part }) {
  const doc = store.scene.value;
  const body = edits.listOf(doc, 'bodies')[part.index]!;
  const name = edits.nameOf(body);
  const place = placeOf(body);
  const moved = (axis: number) => (value: number) => change(part, () => edits.moveBodies(doc, [name], [0, 1, 2].map((i) => (i === axis ? value - place[i]! : 0)) as Point));
  const joints = edits.listOf(doc, 'joints').filter((joint) => Array.isArray(joint.bodies) && joint.bodies.includes(name)).map(edits.nameOf);
  const bar = edits.isBar(body);
  return (
    <>
      <NameField part={part} />
      {bar && <NumberField label={t('length')} name="part-length" value={edits.sizeOf(body)[0]} onChange={(length) => change(part, () => edits.setBar(doc, name, { length }))} />}
      {bar && edits.isFlat(body) && <NumberField label={t('build.angle')} unit="°" name="part-angle" value={tidy(edits.angleOf(body) * degrees)} onChange={(angle) => change(part, () => edits.setBar(doc, name, { angle: angle / degrees }))} />}
      {body.radius !== undefined && <NumberField label={t('build.radius')} unit="m" name="part-radius" value={Number(body.radius)} onChange={(radius) => setField(part, 'radius', radius)} />}
      {Array.isArray(body.size) && <TextField label={t('build.size')} name="part-size" value={textOf(body.size)} onChange={(text) => setField(part, 'size', valueFrom(text))} />}
      {edits.massOf(body) > 0 && <NumberField label={t('mass')} name="part-mass" value={edits.massOf(body)} onChange={(mass) => change(part, () => edits.setMass(doc, name, mass))} />}
      {axes.map((axis, i) => <NumberField key={axis} label={axis} unit="m" name={`part-${axis}`} value={place[i]!} onChange={moved(i)} />)}
      {builder.tool.value === 'centre' && axes.map((axis, i) => <NumberField key={axis} label={t('build.centre.of', { axis })} unit="m" name={`centre-${axis}`} value={place[i]!} onChange={(value) => change(part, () => edits.moveCentre(doc, name, place.map((c, k) => (k === i ? value : c)) as Point))} />)}
      <div class="buttons">
        <Button name="trace-part" onClick={() => builder.trace(part.index, place)}>{t('build.trace')}</Button>
        {joints.length > 0 && <Button name="plot-part" onClick={() => plotReactions(joints)}>{t('build.reaction')}</Button>}
      </div>
    </>
  );
}

function MotorFields({ part }: { part: Part }) {
  const joint = edits.listOf(store.scene.value, 'joints')[part.index]!;
  const coordinate = builder.jointKinds().find(({ name }) => name === joint.kind)?.coordinate ?? 'none';
  if (!['angle', 'travel'].includes(coordinate)) return null;
  const motor = joint.motor as Record<string, string> | undefined;
  const set = (value: Json) => setField(part, 'motor', value);
  if (!motor) return <Button name="add-motor" onClick={() => void set(builder.newMotor(coordinate))}>{t('build.motor.add')}</Button>;
  const [kind, formula] = Object.entries(motor)[0] ?? ['', ''];
  const rate = edits.motorRate(motor);
  return (
    <>
      {rate !== null && <Slider name="motor-rate" label={t('build.motor.rate')} unit={coordinate === 'travel' ? 'm/s' : 'rad/s'} value={rate} min={-20} max={20} step={0.1} typedMin={-1e4} typedMax={1e4} onChange={(value) => set({ [kind]: `${tidy(value)}*t` })} />}
      <TextField label={t(`build.motor.${kind}`)} name="motor-formula" value={String(formula)} onChange={(text) => set({ [kind]: text })} />
      <Button name="remove-motor" class="button quiet" onClick={() => void set(null)}>{t('build.motor.remove')}</Button>
    </>
  );
}

const jointNumbers = ['damping', 'stiffness', 'friction'];

function JointCard({ part }: { part: Part }) {
  const doc = store.scene.value;
  const joint = edits.listOf(doc, 'joints')[part.index]!;
  const kind = builder.jointKinds().find(({ name }) => name === joint.kind);
  const place = at(part);
  const moved = (axis: number) => (value: number) => change(part, () => edits.movePoint(doc, place, place.map((c, i) => (i === axis ? value : c)) as Point));
  return (
    <>
      <p class="remark">{t('build.joins', { kind: jointName(String(joint.kind)), what: ((joint.bodies ?? joint.joints ?? []) as string[]).join(' – ') })}</p>
      <NameField part={part} />
      {kind?.place === 'point' && axes.map((axis, i) => <NumberField key={axis} label={axis} unit="m" name={`part-${axis}`} value={place[i]!} onChange={moved(i)} />)}
      {kind?.place === 'point' && Array.isArray(joint.axis) && <TextField label={t('build.axis')} name="part-axis" value={textOf(joint.axis)} onChange={(text) => setField(part, 'axis', valueFrom(text))} />}
      {kind?.value && joint[kind.value] !== undefined && <NumberField label={kind.value} name="part-value" value={Number(joint[kind.value])} onChange={(value) => setField(part, kind.value, value)} />}
      {kind && kind.coordinate !== 'none' && jointNumbers.map((key) => <NumberField key={key} label={t(`build.${key}`)} name={`part-${key}`} value={Number(joint[key] ?? 0)} onChange={(value) => setField(part, key, value || null)} />)}
      <MotorFields part={part} />
      <div class="buttons">
        <Button name="plot-part" onClick={() => plotReactions([edits.nameOf(joint)])}>{t('build.reaction')}</Button>
      </div>
    </>
  );
}

function ChainCard({ part }: { part: Part }) {
  const doc = store.scene.value;
  const chain = edits.partOf(doc, part)!;
  const links = edits.spelledOut(chain);
  const k = part.link ?? 0;
  const link = links[k];
  const held = chain.end !== undefined;
  const label = chain.name ? `${String(chain.name)}_${k + 1}` : String(k + 1);
  if (!link) return null;
  const set = (key: string, value: Json) => change(part, () => edits.setLink(doc, part.index, k, key, value));
  return (
    <>
      <p class="remark">{part.link === undefined ? t('build.links', { count: links.length }) : t('bob.name', { link: k + 1 })}</p>
      {part.link !== undefined && <NumberField label={t('length')} name="part-length" value={Number(link.length)} onChange={(value) => set('length', value)} />}
      {part.link !== undefined && <NumberField label={t('mass')} name="part-mass" value={Number(link.mass)} onChange={(value) => set('mass', value)} />}
      {part.link !== undefined && <TextField label="θ" name="part-theta" value={textOf(link.theta)} onChange={(text) => set('theta', valueFrom(text))} />}
      <div class="buttons">
        <Button name="hold-end" pressed={held} onClick={() => void change(part, () => edits.holdEnd(doc, part.index, !held, 1e-6))}>{t(held ? 'build.end.free' : 'build.end.hold')}</Button>
        <Button name="plot-part" onClick={() => void showColumns([`tension_${label}`])}>{t('build.tension')}</Button>
      </div>
    </>
  );
}

function ForceCard({ part }: { part: Part }) {
  const force = edits.listOf(store.scene.value, 'forces')[part.index]!;
  return (
    <>
      <p class="remark">{String(force.kind)}</p>
      {['stiffness', 'damping', 'length'].map((key) => <TextField key={key} label={t(`build.${key}`)} name={`part-${key}`} value={textOf(force[key])} onChange={(text) => setField(part, key, valueFrom(text))} />)}
    </>
  );
}

const cards = { bodies: BodyCard, joints: JointCard, chains: ChainCard, forces: ForceCard };

function Card() {
  const parts = builder.selection.value.filter((part) => edits.partOf(store.scene.value, part));
  const [part] = parts;
  if (!part) return null;
  const Own = cards[part.list];
  const bodies = builder.bodiesSelected().length;
  return (
    <fieldset class="card" data-shows="card">
      <legend>{parts.length > 1 ? t('build.several', { count: parts.length }) : t(`build.part.${part.list}`)}</legend>
      {parts.length === 1 && <Own key={`${part.list}${part.index}.${part.link ?? ''}`} part={part} />}
      <div class="buttons">
        {bodies > 0 && <Button name="copy-part" onClick={() => void builder.copySelected(false)}>{t('build.copy')}</Button>}
        {bodies > 0 && <Button name="mirror-part" onClick={() => void builder.copySelected(true)}>{t('build.mirror')}</Button>}
        {bodies > 1 && <Button name="weld-part" onClick={() => void builder.weldSelected()}>{t('build.weld')}</Button>}
        <Button name="delete-part" class="button warn" onClick={() => void builder.removeSelected()}>{t('build.delete')}</Button>
      </div>
    </fieldset>
  );
}

// Degrees of freedom, equations that say nothing new, what is missing: as `catena check` has it.
function Facts() {
  const description = store.description.value;
  if (!description) return null;
  const { constraints, degrees_of_freedom: freedom } = description;
  const more = constraints ? constraints.equations - constraints.rank : 0;
  return (
    <div class="facts" role="status" data-shows="facts">
      <p><strong data-shows="freedom">{freedom}</strong> {t('build.freedom')}{constraints && <> · {t(more ? 'build.redundant' : 'build.none-redundant', { count: more })}</>}</p>
      {builder.hints.value.slice(0, 6).map(({ key, part, values }, i) => (
        <p key={i} class="remark"><button type="button" class="link" onClick={() => { builder.setTool('select'); builder.selection.value = [part]; }}>{t(key, values)}</button></p>
      ))}
      {description.warnings.slice(0, 4).map((text) => <p key={text} class="remark warning">{text.replace(/^[^:]*:\d+:\d+:\s*/, '')}</p>)}
      {builder.refusal.value && <p class="mistake">{builder.refusal.value.text}</p>}
    </div>
  );
}

// The tool's own places typed, for whoever draws without a pointer.
function ByNumbers() {
  const [text, setText] = useState('0, 0, 0.5, 0');
  const numbers = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  const valid = [2, 4, 6].includes(numbers.length) && numbers.every(Number.isFinite);
  const [x, z, u = x, w = z] = numbers as [number, number, number?, number?];
  const inSpace = numbers.length === 6;
  const [from, to] = inSpace ? [numbers.slice(0, 3) as Point, numbers.slice(3) as Point] : [onPlane(builder.plane.value, x, z), onPlane(builder.plane.value, u, w)];
  return (
    <details class="by-numbers">
      <summary>{t('build.numbers')}</summary>
      <p class="remark">{t('build.numbers.text')}</p>
      <div class="buttons">
        <input type="text" data-control="places" aria-label={t('build.numbers')} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Button name="draw-numbers" disabled={!valid || builder.tool.value === 'select'} onClick={() => void builder.actByNumbers(from, to)}>{t('build.draw')}</Button>
      </div>
    </details>
  );
}

const planes = [['front', 1], ['side', 0], ['top', 2]] as const;

// Which plane is drawn on, and how far away it is.
function PlaneChoice() {
  const { across, at: depth } = builder.plane.value;
  return (
    <div class="buttons plane">
      <div class="segment" role="group" aria-label={t('build.plane')}>
        {planes.map(([name, axis]) => <Button key={name} name={`plane-${name}`} class="" pressed={across === axis} onClick={() => builder.setPlane({ across: axis, at: axis === across ? depth : 0 } satisfies Plane)}>{t(`build.plane.${name}`)}</Button>)}
      </div>
      <NumberField label={axes[across]!} unit="m" name="plane-at" value={depth} onChange={async (value) => (builder.setPlane({ across, at: tidy(value) }), true)} />
    </div>
  );
}

export function BuildPanel() {
  const still = builder.drawing.value;
  return (
    <div class="panel build">
      <div class="buttons">
        <Button name="new-drawing" onClick={() => void builder.startEmpty()}>{t('build.new')}</Button>
        {!still && <Button name="back-to-drawing" class="button strong" onClick={() => void builder.backToStart()}>{t('build.back')}</Button>}
        <label class="check"><input type="checkbox" role="switch" data-control="several" checked={builder.several.value} onChange={(event) => { builder.several.value = event.currentTarget.checked; if (builder.several.value) builder.setTool('select'); }} /><span>{t('build.select.several')}</span></label>
      </div>
      {!still && <p class="remark">{t('build.moving')}</p>}
      <Palette />
      <PlaneChoice />
      <p class="lead" data-shows="tool-text">{toolText()}</p>
      <Facts />
      <Card />
      <ByNumbers />
      <TextPane />
    </div>
  );
}
