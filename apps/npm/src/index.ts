// Catena's engine in the thread that calls it: in Node, in a worker of one's own, or on a page for short motions.
// `@catena/lab/client` is the same in a worker that it starts itself.
import { Engine } from '../../web/src/engine/engine';
import { AdvanceStatus, type Described, type EngineInfo, type Moment, type Saved } from '../../web/src/engine/protocol';
import { namesOf, textOf, ticksUntil, type Scene } from './scene';
import { compiled, type WasmSource } from './wasm';

export { Mistakes } from '../../web/src/engine/mistakes';
export type { Described, EngineInfo, Moment, Request, SceneDocument, Stem } from '../../web/src/engine/protocol';
export type { Scene } from './scene';
export type { WasmSource } from './wasm';

export interface LoadOptions {
  name?: string; // of the scene, in messages
  wasm?: WasmSource; // where catena.wasm is; by default beside this script
}

// A scene in motion, in equal ticks. What is wrong with a scene is thrown as Mistakes, a line for each.
export class Lab {
  private described: Described;

  private constructor(
    readonly engine: Engine, // everything else that can be asked: engine.call({ do: .. })
    described: Described,
  ) {
    this.described = described;
  }

  static async load(scene: Scene, { name, wasm }: LoadOptions = {}): Promise<Lab> {
    const engine = await Engine.start(await compiled(wasm));
    return new Lab(engine, engine.call({ do: 'load', text: textOf(scene), name }));
  }

  // Chains, bodies, joints, columns, method.
  get description(): Described {
    return this.described;
  }

  // Names of a row's numbers, in order: t, x_1, ..
  get columns(): string[] {
    return namesOf(this.described.columns);
  }

  get time(): number {
    return this.row()[0]!;
  }

  // Moves on by so many ticks of `description.tick_seconds`; rows() has them. Returns how many were done, fewer where the
  // motion cannot go on.
  advance(ticks = 1): number {
    const done = this.engine.advance(ticks);
    if (this.engine.status === AdvanceStatus.redone) this.described = this.engine.call({ do: 'describe' });
    return done;
  }

  // Moves on until this time, in seconds.
  advanceTo(time: number): number {
    return this.advance(ticksUntil(time, this.time, this.described));
  }

  // Rows of the last advance, one behind the other, each as long as `columns`; a copy.
  rows(): Float64Array {
    return this.engine.rows();
  }

  // The present row.
  row(): Float64Array {
    const rows = this.engine.rows();
    return rows.slice(Math.max(0, rows.length - this.columns.length));
  }

  // The present value of a column.
  value(column: string): number {
    const at = this.columns.indexOf(column);
    if (at < 0) throw new RangeError(`there is no column '${column}'; there are ${this.columns.join(', ')}`);
    return this.row()[at]!;
  }

  // Back or forth to a tick that was there, with the same bits.
  go(tick: number): void {
    const moved = this.engine.call({ do: 'go', tick });
    if (moved.columns) this.described = this.engine.call({ do: 'describe' });
  }

  // All that is needed to go on with the same bits, here or elsewhere: plain JSON.
  checkpoint(): Moment {
    return this.engine.call({ do: 'save' });
  }

  restore(checkpoint: Saved): void {
    this.described = this.engine.call({ do: 'restore', saved: checkpoint });
  }

  // The whole run from the start, as `catena run SCENE -o -` writes it.
  record(quantities?: string[]): string {
    return this.engine.call({ do: 'record', quantities }).csv;
  }

  // Methods, quantities, the JSON Schema of scenes, the version.
  info(): EngineInfo {
    return this.engine.call({ do: 'info' });
  }
}

export const load = Lab.load;
