// Catena's engine in a worker of its own, so that a page stays responsive: what index.ts has, with promises.
import { EngineClient } from '../../web/src/engine/client';
import type { Answered } from '../../web/src/engine/client';
import type { Answers, Described, EngineInfo, Moment, Request, Saved } from '../../web/src/engine/protocol';
import { namesOf, textOf, ticksUntil, type Scene } from './scene';
import { compiled, type WasmSource } from './wasm';

export { Lost, Mistakes } from '../../web/src/engine/mistakes';
export type { Described, EngineInfo, Moment, Request, SceneDocument, Stem } from '../../web/src/engine/protocol';
export type { Scene } from './scene';
export type { WasmSource } from './wasm';

export interface LoadOptions {
  name?: string;
  wasm?: WasmSource;
}

export class Lab {
  private present = new Float64Array();
  private last = new Float64Array();

  private constructor(
    readonly client: EngineClient,
    private described: Described,
  ) {}

  static async load(scene: Scene, { name, wasm }: LoadOptions = {}): Promise<Lab> {
    const client = new EngineClient();
    await client.start(await compiled(wasm));
    const loaded = await client.call({ do: 'load', text: textOf(scene), name });
    const lab = new Lab(client, loaded.answer);
    lab.present = lab.last = new Float64Array(loaded.row);
    return lab;
  }

  get description(): Described {
    return this.described;
  }

  get columns(): string[] {
    return namesOf(this.described.columns);
  }

  get time(): number {
    return this.present[0]!;
  }

  // Anything else that can be asked.
  async call<R extends Request>(request: R): Promise<Answers[R['do']]> {
    const answered: Answered<Answers[R['do']]> = await this.client.call(request);
    this.present = this.last = new Float64Array(answered.row);
    return answered.answer;
  }

  // Stops early after `budget` milliseconds; returns how many ticks were done.
  async advance(ticks = 1, budget = Infinity): Promise<number> {
    const batch = await this.client.advance(ticks, budget);
    this.last = new Float64Array(batch.rows);
    this.present = this.last.slice(Math.max(0, this.last.length - this.columns.length));
    return batch.count;
  }

  async advanceTo(time: number): Promise<number> {
    return this.advance(ticksUntil(time, this.time, this.described));
  }

  rows(): Float64Array {
    return this.last;
  }

  row(): Float64Array {
    return this.present;
  }

  value(column: string): number {
    const at = this.columns.indexOf(column);
    if (at < 0) throw new RangeError(`there is no column '${column}'; there are ${this.columns.join(', ')}`);
    return this.present[at]!;
  }

  async go(tick: number): Promise<void> {
    const moved = await this.call({ do: 'go', tick });
    if (moved.columns) this.described = await this.call({ do: 'describe' });
  }

  async checkpoint(): Promise<Moment> {
    return this.call({ do: 'save' });
  }

  async restore(checkpoint: Saved): Promise<void> {
    this.described = await this.call({ do: 'restore', saved: checkpoint });
  }

  async record(quantities?: string[]): Promise<string> {
    return (await this.call({ do: 'record', quantities })).csv;
  }

  async info(): Promise<EngineInfo> {
    return this.call({ do: 'info' });
  }
}

export const load = Lab.load;
