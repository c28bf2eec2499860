// Recorded runs as text: CSV and JSON.
import { LaterVersion, refuseLater, type RecordedRun } from './run';

const format = 1; // of JSON files

// "" and "nan" are no numbers; "inf" is one.
function numberOf(text: string): number {
  const value = text.trim();
  if (value === 'inf') return Infinity;
  return value === '-inf' ? -Infinity : value === '' ? NaN : Number(value);
}

export function readCsv(text: string, own: string): RecordedRun {
  const lines = text.split(/\r?\n/);
  refuseLater(lines.find((line) => line.startsWith('# catena '))?.slice('# catena '.length), own);
  const scene = lines.find((line) => line.startsWith('# scene:'))?.slice('# scene:'.length);
  const [header, ...rows] = lines.filter((line) => line && !line.startsWith('#'));
  const names = header?.split(',') ?? [];
  // Each number has a comma or an end of line: a header that promises more would have memory for nothing.
  if (names.length * rows.length > text.length + names.length) throw new Error('its rows have fewer numbers than its header has columns');
  const lists = names.map(() => new Float64Array(rows.length).fill(NaN));
  rows.forEach((row, at) => {
    row.split(',').forEach((item, i) => {
      if (lists[i]) lists[i]![at] = numberOf(item);
    });
  });
  return { columns: new Map(names.map((name, i) => [name.trim(), lists[i]!])), scene };
}

export function readJson(text: string, own: string): RecordedRun {
  const data = JSON.parse(text) as { catena?: unknown; format?: unknown; columns?: Record<string, (number | string | null)[]>; scene?: unknown };
  refuseLater(String(data.catena), own);
  if (typeof data.format === 'number' && data.format > format) throw new LaterVersion(String(data.catena));
  const columns = Object.entries(data.columns ?? {}).map(([name, list]) => [name, Float64Array.from(list, (item) => (typeof item === 'number' ? item : numberOf(item ?? '')))] as const);
  return { columns: new Map(columns), scene: data.scene ? JSON.stringify(data.scene) : undefined };
}
