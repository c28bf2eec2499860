// Recorded runs as text: CSV and JSON.
import type { RecordedRun } from './run';

// "" and "nan" are no numbers; "inf" is one.
function numberOf(text: string): number {
  const value = text.trim();
  if (value === 'inf') return Infinity;
  return value === '-inf' ? -Infinity : value === '' ? NaN : Number(value);
}

export function readCsv(text: string): RecordedRun {
  const lines = text.split(/\r?\n/);
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

export function readJson(text: string): RecordedRun {
  const data = JSON.parse(text) as { columns?: Record<string, (number | string | null)[]>; scene?: unknown };
  const columns = Object.entries(data.columns ?? {}).map(([name, list]) => [name, Float64Array.from(list, (item) => (typeof item === 'number' ? item : numberOf(item ?? '')))] as const);
  return { columns: new Map(columns), scene: data.scene ? JSON.stringify(data.scene) : undefined };
}
