// Scenes and columns as both faces of the package have them.
import type { Described, SceneDocument, Stem } from '../../web/src/engine/protocol';

// A scene as text (TOML or JSON), or what JSON text would say.
export type Scene = string | SceneDocument;

export const textOf = (scene: Scene) => (typeof scene === 'string' ? scene : JSON.stringify(scene));

// Names of a row's numbers: t, x_1, x_2, ..
export const namesOf = (stems: Stem[]) => stems.flatMap(({ name, labels }) => (labels.length ? labels.map((label) => `${name}_${label}`) : [name]));

// Ticks from where it stands until at least this time; ends of ticks are rounded, and so one may be missed by a hair.
export const ticksUntil = (time: number, now: number, described: Described) => Math.max(0, Math.ceil((time - now) / described.tick_seconds - 1e-9));
