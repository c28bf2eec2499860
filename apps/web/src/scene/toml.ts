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
