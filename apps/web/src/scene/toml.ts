// Scene documents as TOML: tables before arrays of tables, numbers so that the same bits come back.
import type { Json, SceneDocument } from '../engine/protocol';

type Table = { [key: string]: Json };

function isTable(value: Json | undefined): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTableList(value: Json | undefined): value is Table[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTable);
}

function key(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

function number(value: number): string {
  const text = String(value);
  // TOML wants a digit on both sides of a point, and 1e21 is none of its whole numbers.
  return /^-?\d+e/.test(text) ? text.replace('e', '.0e') : text;
}

function inline(value: Json): string {
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (isTable(value)) return `{ ${Object.entries(value).map(([name, item]) => `${key(name)} = ${inline(item)}`).join(', ')} }`;
  return String(value);
}

function body(table: Table, path: string, lines: string[]) {
  const entries = Object.entries(table);
  for (const [name, value] of entries) {
    if (!isTableList(value) && !(isTable(value) && path === '')) lines.push(`${key(name)} = ${inline(value)}`);
  }
  for (const [name, value] of entries) {
    const full = path ? `${path}.${key(name)}` : key(name);
    if (isTable(value) && path === '') {
      const plain = Object.values(value).some((item) => !isTableList(item));
      if (plain) lines.push('', `[${full}]`);
      body(value, full, lines);
    }
    if (isTableList(value)) {
      for (const item of value) {
        lines.push('', `[[${full}]]`);
        body(item, full, lines);
      }
    }
  }
}

export function toToml(doc: SceneDocument): string {
  const lines: string[] = [];
  body(doc, '', lines);
  return `${lines.join('\n').trim()}\n`;
}

export function runCommand(doc: SceneDocument, name: string): string {
  return `catena run - -o ${name}.h5 <<'SCENE'\n${toToml(doc)}SCENE\n`;
}

// ---- texts of one's own ------------------------------------------------------------------------------------------

const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/;

interface Piece {
  key: string; // of the scene: "bodies", "chain"
  index: number; // in its list
  first: number; // line, from 0
  lines: string[];
}

// A text piece by piece: one for each table or item of a list of the scene, with the remarks above it. What comes first belongs to
// no table.
function piecesOf(text: string): { before: string[]; pieces: Piece[] } {
  const lines = text.split('\n');
  const before: string[] = [];
  const pieces: Piece[] = [];
  const counts = new Map<string, number>();
  let waiting: string[] = []; // remarks and empty lines: they belong to what comes next
  lines.forEach((line, at) => {
    const path = header.exec(line)?.[1];
    const here = () => pieces.at(-1)?.lines ?? before;
    if (path === undefined) {
      if (/^\s*(#.*)?$/.test(line)) waiting.push(line);
      else {
        here().push(...waiting, line);
        waiting = [];
      }
      return;
    }
    const key = path.split('.')[0]!.replace(/["']/g, '').trim();
    const listed = /^\s*\[\[/.test(line) && !path.includes('.');
    const last = pieces.at(-1);
    if (last?.key === key && !listed) last.lines.push(...waiting, line);
    else {
      const index = listed ? (counts.get(key) ?? 0) : 0;
      if (listed) counts.set(key, index + 1);
      pieces.push({ key, index, first: at - waiting.length, lines: [...waiting, line] });
    }
    waiting = [];
  });
  (pieces.at(-1)?.lines ?? before).push(...waiting);
  return { before, pieces };
}

const lists = ['bodies', 'joints', 'chains', 'forces'] as const;

// The part of the scene that a line, counted from 1, belongs to.
export function partAtLine(text: string, line: number): { list: (typeof lists)[number]; index: number } | null {
  const piece = piecesOf(text).pieces.filter(({ first }) => first < line).at(-1);
  if (piece?.key === 'chain') return { list: 'chains', index: 0 };
  const list = lists.find((one) => one === piece?.key);
  return list && piece ? { list, index: piece.index } : null;
}

// Another scene in a text's own words: tables and items that say the same stay as they are written, remarks included.
export function rewritten(text: string, before: SceneDocument, after: SceneDocument): string {
  const { before: preamble, pieces } = piecesOf(text);
  const plain = (doc: SceneDocument) => JSON.stringify(Object.entries(doc).filter(([, value]) => !isTable(value) && !isTableList(value)));
  if (plain(before) !== plain(after)) return toToml(after);
  const used = new Set<Piece>();
  const remarks = (piece: Piece) => piece.lines.slice(0, piece.lines.findIndex((line) => header.test(line)));
  const written = (key: string, value: Json, list: boolean): string[] => {
    const same = pieces.find((piece) => piece.key === key && !used.has(piece) && JSON.stringify(list ? (before[key] as Json[])[piece.index] : before[key]) === JSON.stringify(value));
    if (same) {
      used.add(same);
      return same.lines;
    }
    const name = list && isTable(value) ? value.name : undefined;
    const older = pieces.find((piece) => piece.key === key && !used.has(piece) && (!list || (name !== undefined && ((before[key] as Json[])[piece.index] as Table | undefined)?.name === name)));
    if (older) used.add(older);
    return [...(older ? remarks(older) : ['']), ...toToml({ [key]: list ? [value] : value }).trimEnd().split('\n')];
  };
  const keys = [...new Set([...pieces.map(({ key }) => key), ...Object.keys(after)])].filter((key) => isTable(after[key]) || isTableList(after[key]));
  const lines = keys.flatMap((key) => {
    const value = after[key]!;
    return isTableList(value) ? value.flatMap((item) => written(key, item, true)) : written(key, value, false);
  });
  return `${[...preamble, ...lines].join('\n').replace(/\n{3,}/g, '\n\n').trim()}\n`;
}
