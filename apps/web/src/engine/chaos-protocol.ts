// What a worker asks the tools of chaos, and what these answer (engine/chaos.cpp). Numbers that are drawn are in rows.

// A budget, ms, ends a call early: what was asked for is then asked for again.
interface Budgeted {
  budget?: number;
}

export interface IndicatorValue {
  value: number | null;
  error: number | null;
  verdict: 'regular' | 'chaotic' | 'undecided';
  reason: string;
}

export type ChaosRequest =
  // Lyapunov exponents of a scene; no number of exponents: all.
  | { do: 'spectrum'; text: string; exponents?: number; starts?: number; seed?: number }
  // .. up to a time. Rows: the time, then the running value of every exponent.
  | ({ do: 'grow'; to: number } & Budgeted)
  // A surface of section; `indicator`: of every motion on it. No energy: the scene's.
  | { do: 'section'; text: string; when: string; axes: [string, string]; direction?: 'rising' | 'falling' | 'any'; energy?: number; duration?: number; indicator?: string }
  // .. a start at a place of its axes, on its energy; without a place the scene's own
  | { do: 'section_start'; at?: [number, number] }
  // .. starts spread over it
  | { do: 'section_spread'; count: number }
  // .. followed up to a time. Rows: t, a, b of every point that is new.
  | ({ do: 'section_follow'; start: number; to: number } & Budgeted)
  // Indicators of a scene from its start, or of a moment (`save` of the engine) and its ghosts.
  | ({ do: 'indicators'; duration: number; only?: string[]; column?: string; seed?: number } & ({ text: string } | { saved: unknown }))
  // .. up to so many seconds from there
  | ({ do: 'indicators_follow'; to: number } & Budgeted)
  // A map over two numbers of a scene: a plan as `catena sweep` reads it; its `scene` is this one.
  | { do: 'map'; text: string; sweep: string }
  // .. cases first, first + apart, .. along each axis; the last axis runs fastest. Rows: the measures of a case, then its status.
  | { do: 'tile'; first: number[]; count: number[]; apart?: number[] }
  // .. lines beyond which an event is impossible. Rows: which limit, then both ends in places of the grid.
  | { do: 'limits' }
  // A bifurcation diagram: `when` (a section) or `period` (of a drive).
  | ({ do: 'bifurcation'; text: string; along: string; from: number; to: number; count: number; record: string; duration?: number; skip?: number; fresh?: boolean } & (
      | { when: string; direction?: 'rising' | 'falling' | 'any' }
      | { period: number }
    ))
  // .. one column of it, from where the last one ended unless `fresh`. Rows: its values.
  | { do: 'column'; index: number }
  // Small motions about the equilibrium nearest to the start.
  | { do: 'modes'; text: string }
  // .. one swing of one of them, `size` times its shape. Rows: the time, then what a picture needs.
  | { do: 'mode'; mode: number; size?: number; count?: number };

export interface GrownSpectrum {
  exponents: (number | null)[];
  errors: (number | null)[];
  intervals: (number | null)[]; // halves of the 95 % intervals
  kaplan_yorke: number | null;
  kaplan_yorke_error: number | null;
  entropy: number | null;
  entropy_error: number | null;
  sum: number | null;
  sum_error: number | null;
  duration: number;
  dimension: number;
  chaotic: boolean;
  settled: boolean; // long enough for the errors to be relied on
  batches: number;
  correlation_time: number | null;
  checks: { name: string; meaning: string; off_by: number | null; allowed: number | null; holds: boolean }[];
  notes: string[];
  outcome: 'done' | 'failed' | 'interrupted'; // interrupted: by the budget
  message?: string;
  time: number; // that all starts have reached
  width: number; // of a row
}

export enum CaseStatus {
  done = 0,
  failed = 1,
  skipped = 2,
}

export interface ChaosAnswers {
  spectrum: { dimension: number };
  grow: GrownSpectrum;
  section: { energy: number | null; reach: [[number, number], [number, number]] | null; why: string }; // why: starts cannot be chosen
  section_start: { start: number; state?: number[] };
  section_spread: { starts: number[]; notes: string[] };
  section_follow: { time: number; points: number; residual: number; scale: number; width: number; message: string; indicator?: IndicatorValue | null };
  indicators: { motions: number }; // the motion, then its ghosts
  indicators_follow: { motions: { time: number | null; indicators: Record<string, IndicatorValue>; notes: string[]; message: string }[] };
  map: { shape: number[]; axes: { name: string; values: number[] }[]; measures: string[]; not_in_lanes: string };
  tile: { cases: number; width: number; steps: number; failed: { at: number; text: string }[] };
  limits: { limits: { measure: string; energy: number }[]; width: number };
  bifurcation: { parameters: number[]; notes: string[] };
  column: { values: number; outcome: 'done' | 'failed' | 'interrupted'; message: string };
  modes: { stability: string; conservative: boolean; modes: { frequency: number; damping: number }[]; warnings: string[]; scene: string };
  mode: { columns: string[]; width: number };
}
