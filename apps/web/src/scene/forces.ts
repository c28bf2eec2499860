// Force laws as the scene's JSON Schema describes them.
import type { Json, JsonSchema, SceneDocument } from '../engine/protocol';

export type Table = { [key: string]: Json };

export function kindOf(law: JsonSchema): string {
  const kind = law.properties?.kind;
  return String(kind?.const ?? kind?.enum?.[0] ?? '');
}

export function lawsOf(schema: JsonSchema | undefined): JsonSchema[] {
  const items = schema?.properties?.forces?.items;
  return items?.oneOf ?? items?.anyOf ?? [];
}

export function forcesOf(doc: SceneDocument): Table[] {
  return (doc.forces ?? []) as Table[];
}

// Numbers, formulas and lists as one writes them in a scene: 0.5, sin(2*t), [0, 0, t].
export function valueFrom(text: string): Json {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    const list = /^\[(.*)\]$/.exec(trimmed);
    if (list) return list[1]!.split(',').map((item) => valueFrom(item));
    return trimmed;
  }
}

export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function put(table: Table, key: string, value: Json) {
  if (value === null) delete table[key];
  else table[key] = value;
}

function takesList(schema: JsonSchema): boolean {
  return schema.type === 'array' || !!schema.anyOf?.some((one) => one.type === 'array');
}

// Something to begin with for a field that must be given.
function firstValue(schema: JsonSchema, link: string): Json {
  if (schema.default !== undefined) return schema.default as Json;
  if (schema.enum) return schema.enum[0]!;
  if (!takesList(schema)) return 1;
  // A list of two is two ends, each a link or a point.
  return (schema as { maxItems?: number }).maxItems === 2 ? [link, [1, 0, 0]] : [0, 0, 0];
}

// A law that can be tried at once: what it needs, and one of two where either will do.
export function newForce(law: JsonSchema, link: string): Table {
  const out: Table = { kind: kindOf(law) };
  const fields = law.properties ?? {};
  const needed = new Set(law.required);
  if (fields.potential) for (const other of ['force', 'field']) if (fields[other]) needed.add(other);
  for (const name of needed) if (name !== 'kind') out[name] = firstValue(fields[name]!, link);
  return out;
}
