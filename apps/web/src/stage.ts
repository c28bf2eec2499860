// What the stage shows beside places: asks the engine for vectors and fields, as often as eyes can follow.
import * as actions from './actions';
import type { Drawing, Field, Point, Sight } from './engine/protocol';
import { trajectory } from './files/trajectory';
import * as store from './store';
import { isInner, type Vector } from './view/view';

export type ArrowKind = 'velocity' | 'acceleration' | 'force' | 'tension' | 'reaction';

interface KindInfo {
  unit: string;
  quantities: string[]; // columns that it needs
}

export const arrowKinds: Record<ArrowKind, KindInfo> = {
  velocity: { unit: 'm/s', quantities: ['velocity'] },
  acceleration: { unit: 'm/s²', quantities: ['velocity'] },
  force: { unit: 'N', quantities: ['px', 'py', 'pz'] },
  tension: { unit: 'N', quantities: ['tension'] },
  reaction: { unit: 'N', quantities: ['fx', 'fy', 'fz'] },
};

const mostArrows = 60; // of a kind
const mostValues = 24; // of a kind: more would hide each other

function valueText(size: number, unit: string): string {
  return `${size >= 1e4 || (size < 0.01 && size > 0) ? size.toExponential(2) : Number(size.toPrecision(3))} ${unit}`;
}

// Names that columns of things end with: links of all chains, then bodies.
function labelsOf({ chains, bodies }: Drawing): string[] {
  return [...chains.flatMap(({ links }) => links.map(({ label }) => label)), ...bodies.map(({ name }) => name)];
}

// Vectors of a kind from columns at one instant. A tension pulls a bob towards what it hangs from.
export function vectorsOf(kind: ArrowKind, { names, values, rates }: Sight, drawing: Drawing, upward: (thing: number) => Point): Vector[] {
  const { unit } = arrowKinds[kind];
  const column = (list: (number | null)[], name: string) => list[names.indexOf(name)] ?? NaN;
  const vectorAt = (stem: string, label: string, list: (number | null)[]) => ['x', 'y', 'z'].map((axis) => column(list, `${stem}${axis}_${label}`)) as Point;
  const things = labelsOf(drawing);
  const of = (on: Vector['on'], vector: Point): Vector => ({ kind, on, vector, text: valueText(Math.hypot(...vector), unit) });
  const perThing: Record<string, (label: string, thing: number) => Vector> = {
    velocity: (label, thing) => of({ thing }, vectorAt('v', label, values)),
    acceleration: (label, thing) => of({ thing }, vectorAt('v', label, rates)),
    force: (label, thing) => of({ thing }, vectorAt('p', label, rates)),
    tension: (label, thing) => {
      const pull = column(values, `tension_${label}`);
      return { ...of({ thing }, upward(thing).map((c) => c * pull) as Point), text: valueText(pull, unit) };
    },
  };
  const all = kind === 'reaction' ? drawing.joints.map(({ name }, joint) => of({ joint }, vectorAt('f', name, values))) : things.map(perThing[kind]!);
  const known = all.filter(({ vector }) => vector.every(Number.isFinite)).slice(0, mostArrows);
  return known.map((one, i) => (i < mostValues ? one : { ...one, text: '' }));
}

// A field at places all over the stage; the strongest of those well inside says how strong it is.
function fieldVectors({ name, unit, vectors }: Field, places: Point[]): Vector[] {
  const sizes = vectors.map((vector) => Math.hypot(...vector));
  const inner = sizes.map((size, i) => (isInner(i) && Number.isFinite(size) ? size : -1));
  const strongest = inner.indexOf(Math.max(...inner));
  return vectors.map((vector, i) => ({ kind: name, on: { place: places[i]! }, vector, ...(i === strongest ? { text: `${name === 'wind' ? '' : name === 'electric' ? 'E ' : 'B '}${valueText(sizes[i]!, unit)}` } : {}) }));
}

const surrounding = ['wind', 'electric', 'magnetic', 'magnet', 'point-charge'];

function hasFields(): boolean {
  const forces = store.scene.value.forces;
  return Array.isArray(forces) && forces.some((force) => surrounding.includes(String((force as { kind?: string } | null)?.kind)));
}

// From a bob towards what it hangs from.
function upwardOf(thing: number): Point {
  const description = store.description.value!;
  const { chain, link } = actions.whereIs(thing);
  const info = description.chains[chain];
  const parent = info?.parent[link] ?? -1;
  const from = actions.theView().placeOf(thing);
  const to = parent < 0 ? (info?.pivot ?? from) : actions.theView().placeOf(thing - link + parent);
  const way = to.map((c, i) => c - from[i]!);
  const length = Math.hypot(...way) || 1;
  return way.map((c) => c / length) as Point;
}

async function ask(): Promise<Vector[]> {
  const lab = actions.theLab();
  const kinds = store.arrows.value;
  const { drawing } = store.description.value!;
  const out: Vector[] = [];
  if (store.showFields.value && hasFields()) {
    const places = actions.theView().fieldPlaces();
    for (const field of (await lab.ask({ do: 'fields', places })).fields) out.push(...fieldVectors(field, places));
  }
  if (kinds.length) {
    const quantities = [...new Set(kinds.flatMap((kind) => arrowKinds[kind].quantities))];
    const sight = await lab.ask({ do: 'sight', quantities });
    for (const kind of kinds) out.push(...vectorsOf(kind, sight, drawing, upwardOf));
  }
  return out;
}

let asking = false;
let shown = '';
let last = 0;

// To be called at every frame.
export function refreshStage(now: number) {
  const description = store.description.value;
  if (!description || asking || trajectory.value || now - last < 50) return;
  const wish = `${store.arrows.value.join()}|${store.showFields.value && hasFields()}`;
  const stamp = `${wish}|${store.standing.value.tick}|${description.name}|${store.theme.value}`;
  if (stamp === shown && description === described) return;
  described = description;
  shown = stamp;
  last = now;
  if (wish === '|false') {
    actions.theView().setVectors([]);
    return;
  }
  asking = true;
  ask()
    .then((vectors) => description === store.description.value && actions.theView().setVectors(vectors))
    .catch(() => undefined) // the scene was replaced meanwhile
    .finally(() => {
      asking = false;
    });
}
let described: unknown;
