// What the page shows, as signals: whatever reads one is drawn again when it changes.
import { signal } from '@preact/signals';
import type { Described, EngineInfo, Ghost, SceneDocument } from './engine/protocol';
import type { ArrowKind } from './stage';
import type { Mode } from './view/view';

export interface Notice {
  kind: 'info' | 'warning' | 'mistake';
  text: string;
  id: number;
}

// Numbers that change all the time are shown ten times a second.
export interface Live {
  t: number;
  kinetic: number;
  potential: number;
  elastic: number;
  dissipated: number;
  work: number;
  energy: number;
  error: number; // relative
  step: number;
  cost: number; // ms of physics per frame of 1/60 s at the present speed
  ghosts: { energy: number; distance: number; growth: number | null; failed: boolean }[];
  lagging: number; // part of the wished speed that is reached
}

export const noLive: Live = {
  t: 0, kinetic: 0, potential: 0, elastic: 0, dissipated: 0, work: 0, energy: 0, error: 0, step: 0, cost: 0, ghosts: [], lagging: 1,
};

export const info = signal<EngineInfo | null>(null);
export const description = signal<Described | null>(null);
export const scene = signal<SceneDocument>({});
export const presetName = signal('');
export const running = signal(false);
export const speed = signal(1);
export const mode = signal<Mode>('2d');
export const trace = signal(true);
export const notes = signal({ names: true, axes: true }); // written over the picture
export const showFields = signal(true);
export const arrows = signal<ArrowKind[]>([]);
export const marking = signal(false); // a click marks a point of a body
export const marks = signal(0); // points of bodies whose way is drawn
export const strainColors = signal(true);
export const ghosts = signal<Ghost[]>([]);
export const standing = signal({ tick: 0, begin: 0, end: 0 });
export const live = signal<Live>(noLive);
export const notices = signal<Notice[]>([]);
export const selected = signal<number | null>(null); // the bob that the keyboard moves
export const pointed = signal<number | null>(null); // the bob or body under the pointer
export const dragging = signal<number | null>(null);
export const stiffness = signal(200); // what elastic links get
export const mayLower = signal(true); // accuracy, to keep up with time
export const raisedTolerance = signal<number | null>(null);
export const conversion = signal<{ before: number; after: number } | null>(null);
export const throwing = signal<{ before: number; after: number } | null>(null); // what a hand in the motion did to its energy
export const canUndo = signal(false);
export const canRedo = signal(false);
export const reading = signal<{ name: string; part: number } | null>(null); // a large file on its way in
export const openPanel = signal('chain');
export const sheetOpen = signal(true); // the panels, where they are a sheet under the stage
export const helpOpen = signal(false);
export const tourStep = signal<number | null>(null);
export const recording = signal(false);

export type Theme = 'dark' | 'light';
export const theme = signal<Theme>('dark');

let lastNotice = 0;
export function notify(kind: Notice['kind'], text: string, seconds = kind === 'info' ? 5 : 12) {
  const id = ++lastNotice;
  notices.value = [...notices.value.filter((notice) => notice.text !== text), { kind, text, id }].slice(-4);
  setTimeout(() => dismiss(id), 1000 * seconds);
}

export function dismiss(id: number) {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

// Whether what was computed of a scene belongs to another one than is there now.
export const isStale = (of: SceneDocument | null): boolean => of !== null && of !== scene.value && JSON.stringify(of) !== JSON.stringify(scene.value);
