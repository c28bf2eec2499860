// What can be plotted: columns of the motion by name, what they are of, and in which unit.
import { signal } from '@preact/signals';
import * as actions from '../actions';
import { partingOf } from '../lab/divergence';
import type { Description, Stem } from '../engine/protocol';
import { trajectory } from '../files/trajectory';
import * as store from '../store';
import { namesOf } from '../rows';
import { t } from '../texts';

export interface Column {
  name: string;
  stem: string;
  label: string; // of the link, body or joint; empty: of the whole
  unit: string;
}

// All columns of the scene that is shown, as the engine names them.
export const stems = signal<Stem[]>([]);

export function unitOf(stem: string): string {
  if (stem === 't') return 's';
  return store.info.value?.quantities.find((quantity) => quantity.stem === stem)?.unit ?? '';
}

let known: { of: Stem[]; by: unknown; columns: Map<string, Column> } | null = null;

export function allColumns(): Map<string, Column> {
  const of = trajectory.value?.layout.stems ?? stems.value;
  const by = store.info.value; // what quantities there are, and their units
  if (known?.of !== of || known.by !== by) {
    known = { of, by, columns: new Map(namesOf(of).map((name) => [name, split(name)])) };
  }
  return known.columns;
}

// "ghost1.x_2" is a ghost's column, and "divergence1" how far it is.
export function columnOf(name: string): Column {
  const ghost = /^ghost(\d+)\.(.+)$/.exec(name);
  if (ghost) {
    const own = columnOf(ghost[2]!);
    return { ...own, name, label: `${t('ghost.number', { number: ghost[1]! })} ${own.label}`.trim() };
  }
  const parting = /^divergence(\d+)$/.exec(name);
  if (parting) return { name, stem: 'divergence', label: t('ghost.number', { number: parting[1]! }), unit: '' };
  return allColumns().get(name) ?? split(name);
}

// What a column is of, by the names of quantities: "theta_dot_left_2" is of the second link of the chain "left".
function split(name: string): Column {
  const shown = trajectory.value ?? store.description.value;
  // Units of a system given by formulas are its author's own.
  if (shown?.coordinates.some((one) => name === one.name || name === `${one.name}_dot`) || shown?.invariants.some((one) => name === one || name === `${one}_error`)) return { name, stem: name, label: '', unit: '' };
  const quantities = store.info.value?.quantities ?? [];
  const rate = /^(angle|travel)_(.+)_dot$/.exec(name); // of a joint
  const among = quantities.filter(({ stem }) => (rate ? stem === `${rate[1]}_dot` : name === stem || name.startsWith(`${stem}_`)));
  const longest = among.reduce((best, { stem }) => (stem.length > best.length ? stem : best), '') || name;
  return { name, stem: longest, label: rate ? rate[2]! : name.slice(longest.length + 1), unit: unitOf(longest) };
}

const spoken: Record<string, string> = { theta: 'θ', phi: 'φ', wx: 'ωx', wy: 'ωy', wz: 'ωz' };

export function titleOf(name: string): string {
  const { stem, label } = columnOf(name);
  const [plain, rate] = stem.endsWith('_dot') ? [stem.slice(0, -4), '′'] : [stem, ''];
  return `${spoken[plain] ?? plain}${rate}${label ? ` ${label.replace(/_(?=\d+$)/, ' ')}` : ''}`;
}

// Angles in radians are the same after a turn; metres are not.
export function isAngle(name: string): boolean {
  return ['theta', 'phi', 'angle'].includes(columnOf(name).stem) && columnOf(name).unit === 'rad';
}

// Which part of the picture a column is of: links of all chains come first, bodies behind them. -1: of none.
export function partOf(name: string): number {
  const { label, stem } = columnOf(name.replace(/^ghost\d+\./, ''));
  const shown = trajectory.value ?? store.description.value;
  if (!label || !shown) return -1;
  let first = 0;
  for (const chain of shown.chains) {
    const at = chain.length.findIndex((_, k) => label === (chain.name ? `${chain.name}_${k + 1}` : String(k + 1)));
    if (at >= 0) return first + at;
    first += chain.length.length;
  }
  const body = shown.bodies.findIndex((one) => one.name === label);
  if (body >= 0 && !['angle', 'angle_dot', 'travel', 'travel_dot'].includes(stem)) return first + body;
  return -1;
}

// The columns of one part of the picture.
export function columnsOfPart(part: number): string[] {
  return [...allColumns().keys()].filter((name) => partOf(name) === part);
}

// ---- what is computed from columns ----------------------------------------------------------------------------

export interface Derived {
  needs: string[];
  value(values: number[]): number;
}

// A column's own value, or what is computed from several of the same instant.
export function derivedOf(name: string): Derived {
  const parting = /^divergence(\d+)$/.exec(name);
  const description = store.description.value;
  if (!parting || !description) return { needs: [name], value: ([value]) => value! };
  return partingColumns(description, Number(parting[1]) - 1);
}

// The rows that the distance of a ghost is computed from: places and turns, its own and the ghost's.
function partingColumns(description: Description, ghost: number): Derived {
  const { layout, ghostLayout } = actions.theLab();
  const wanted = (stem: string) => /^(x|y|z|qw|qx|qy|qz)$/.test(stem) || description.coordinates.some(({ name }) => name === stem);
  const names = namesOf(ghostLayout.stems.filter(({ name }) => wanted(name)));
  const last = description.chains[0]?.length.length;
  const few = last ? names.filter((name) => new RegExp(`_${last}$`).test(name)) : names;
  const row = new Float64Array(layout.width + ghostLayout.width);
  const layouts = { layout, ghostLayout };
  return {
    needs: [...few, ...few.map((name) => `ghost${ghost + 1}.${name}`)],
    value(values) {
      few.forEach((name, i) => {
        row[layout.at(name)] = values[i]!;
        row[layout.width + ghostLayout.at(name)] = values[few.length + i]!;
      });
      const parting = partingOf(layouts, description, row, 0);
      return parting > 0 ? parting : NaN;
    },
  };
}

// Asks for the columns of the scene that is shown. There are very many of long chains: then only once someone chooses.
export async function learnColumns(chosen = true) {
  const links = store.description.value?.chains.reduce((sum, chain) => sum + chain.length.length, 0) ?? 0;
  if (!chosen && links > 200) stems.value = [];
  else stems.value = (await actions.theLab().past.columns()) ?? [];
}
