// What a drawing consists of: lists of parts by name, and an empty page.
import type { Json, Point, SceneDocument } from '../engine/protocol';
import { chainsOf } from './document';
import type { Table } from './space';

export const ground = 'ground';

export const listOf = (doc: SceneDocument, key: 'bodies' | 'joints' | 'forces'): Table[] => (doc[key] ?? []) as Table[];
export const nameOf = (part: Table | undefined): string => String(part?.name ?? '');
export const bodyOf = (doc: SceneDocument, name: string): Table | undefined => listOf(doc, 'bodies').find((body) => body.name === name);

// Why something cannot be done, and where.
export class Refusal extends Error {
  constructor(
    readonly key: string,
    readonly at: Point,
  ) {
    super(key);
  }
}

// ---- an empty page --------------------------------------------------------------------------------------------

const holder = 'frame'; // what an empty scene consists of: a scene without anything is none

export function emptyScene(): SceneDocument {
  return { simulation: { duration: 20 }, bodies: [{ name: holder, shape: 'point', mass: 1, fixed: true }] };
}

export const isHolder = (body: Table) => body.name === holder && body.fixed === true && body.shape === 'point';

// Lists without anything are left out, and so is the holder's place once there is something else.
export function cleaned(doc: SceneDocument): SceneDocument {
  const bodies = listOf(doc, 'bodies');
  const others = bodies.filter((body) => !isHolder(body));
  doc.bodies = others;
  if (!others.length && !chainsOf(doc).length && !doc.lagrangian && !doc.equations) doc.bodies = emptyScene().bodies!;
  for (const key of ['bodies', 'joints', 'forces', 'chains', 'events']) if (Array.isArray(doc[key]) && !(doc[key] as Json[]).length) delete doc[key];
  return doc;
}

export function freshName(taken: Iterable<string>, stem: string): string {
  const names = new Set(taken);
  for (let n = 1; ; n++) if (!names.has(`${stem}${n}`)) return `${stem}${n}`;
}

export const namesIn = (doc: SceneDocument) => [...listOf(doc, 'bodies'), ...listOf(doc, 'joints'), ...listOf(doc, 'forces'), ...chainsOf(doc)].map(nameOf);

export const chainAt = (doc: SceneDocument, c: number) => chainsOf(doc)[c]!;
