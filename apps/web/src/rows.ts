// Rows of numbers as the engine gives them: where each quantity stands.
import type { BodyInfo, ChainInfo, CoordinateInfo, Description, Stem } from './engine/protocol';

export interface BodyPose {
  position: [number, number, number];
  orientation: [number, number, number, number]; // w x y z
}

export let ticksPerSecond = 120;
// How much longer a second is than in scenes that last for some: their plots and trails are as much shorter.
export let timeScale = 1;

export function setTickSeconds(seconds: number) {
  const rate = 1 / seconds;
  ticksPerSecond = Math.abs(rate - Math.round(rate)) < 1e-6 ? Math.round(rate) : rate;
  timeScale = 120 / ticksPerSecond;
}

export class Layout {
  private readonly offsets: Map<string, number>;
  readonly width: number;

  constructor(readonly stems: Stem[]) {
    this.offsets = new Map(this.names().map((name, i) => [name, i]));
    this.width = this.names().length;
  }

  // Place of a column by its full name; -1: there is none.
  at(name: string): number {
    return this.offsets.get(name) ?? -1;
  }

  // Place of a quantity of a chain's first link.
  of(quantity: string, chain: ChainInfo): number {
    return this.at(chain.name ? `${quantity}_${chain.name}_1` : `${quantity}_1`);
  }

  names(): string[] {
    return namesOf(this.stems);
  }
}

export function namesOf(stems: Stem[]): string[] {
  return stems.flatMap(({ name, labels }) => (labels.length ? labels.map((label) => `${name}_${label}`) : [name]));
}

// Ends of all links at a moment between two rows, x y z one after the other, by the cubic through positions and
// velocities: at 120 rows a second no eye tells it from the motion itself.
export function positionsBetween(
  layout: Layout,
  chains: ChainInfo[],
  from: Float64Array,
  to: Float64Array,
  part: number,
  offset: number,
  out: Float32Array,
) {
  const h = 1 / ticksPerSecond;
  const s = part;
  const h00 = (1 + 2 * s) * (1 - s) * (1 - s);
  const h10 = s * (1 - s) * (1 - s) * h;
  const h01 = s * s * (3 - 2 * s);
  const h11 = s * s * (s - 1) * h;
  let at = 0;
  for (const chain of chains) {
    const places = ['x', 'y', 'z'].map((axis) => offset + layout.of(axis, chain));
    const rates = ['vx', 'vy', 'vz'].map((axis) => offset + layout.of(axis, chain));
    for (let k = 0; k < chain.length.length; k++) {
      for (let i = 0; i < 3; i++) {
        const x = places[i]! + k;
        const v = rates[i]! + k;
        out[at++] = part === 1 ? to[x]! : h00 * from[x]! + h10 * from[v]! + h01 * to[x]! + h11 * to[v]!;
      }
    }
  }
}

// Where a chain hangs: a moving pivot is where its first link begins.
export function pivotOf(layout: Layout, chain: ChainInfo, row: Float64Array): [number, number, number] {
  const root = chain.parent.findIndex((parent) => parent < 0);
  if (!chain.moving || root < 0) return chain.pivot;
  const [theta, phi, strain] = ['theta', 'phi', 'strain'].map((name) => layout.of(name, chain));
  if (theta! < 0 || phi! < 0) return chain.pivot;
  const extent = chain.length[root]! * (1 + (chain.elastic && strain! >= 0 ? row[strain! + root]! : 0));
  const [th, ph] = [row[theta! + root]!, row[phi! + root]!];
  const direction = [Math.sin(th) * Math.cos(ph), Math.sin(th) * Math.sin(ph), -Math.cos(th)];
  return ['x', 'y', 'z'].map((axis, i) => row[layout.of(axis, chain) + root]! - extent * direction[i]!) as [number, number, number];
}

// A system given by its Lagrangian is seen as a point in the space of its coordinates: the first across, the second up;
// with three of them the second goes into the depth.
export function pointOf(coordinates: CoordinateInfo[]): BodyInfo[] {
  if (!coordinates.length) return [];
  const start = axesOf(coordinates).map((one) => one?.start ?? 0) as [number, number, number];
  const size = pointSize * Math.max(1, Math.hypot(...start));
  return [{ name: '', shape: 'sphere', size: [size, size, size], mass: 1, fixed: false, free: false, axes: axesOf(coordinates).map((one) => one?.name ?? ''), position: start, orientation: [1, 0, 0, 0] }];
}

const pointSize = 0.1; // over how far away it is at the start

function axesOf([a, b, c]: CoordinateInfo[]): (CoordinateInfo | undefined)[] {
  return c ? [a, b, c] : [a, undefined, b];
}

export function pointPose(layout: Layout, coordinates: CoordinateInfo[], row: Float64Array, offset = 0): BodyPose[] {
  if (!coordinates.length) return [];
  const position = axesOf(coordinates).map((one) => (one ? row[offset + layout.at(one.name)]! : 0)) as BodyPose['position'];
  return [{ position, orientation: [1, 0, 0, 0] }];
}

// Everything that is drawn as a body.
export function solidsOf({ bodies, coordinates }: Pick<Description, 'bodies' | 'coordinates'>): BodyInfo[] {
  return [...bodies, ...pointOf(coordinates)];
}

// Columns of the place of each of these things: links of all chains come first, bodies behind them.
export function placeColumns(layout: Layout, chains: ChainInfo[], bodies: BodyInfo[], things: number[]): number[][] {
  const columns = chains.flatMap((chain) => chain.length.map((_, k) => ['x', 'y', 'z'].map((axis) => layout.of(axis, chain) + k)));
  for (const { name } of bodies) columns.push(['x', 'y', 'z'].map((axis) => layout.at(`${axis}_${name}`)));
  return things.map((thing) => columns[thing]!);
}

// Bodies between two rows; over 1/120 s a straight way and a normalised quaternion are close enough.
export function posesBetween(layout: Layout, bodies: BodyInfo[], from: Float64Array, to: Float64Array, part: number, offset = 0): BodyPose[] {
  return bodies.map(({ name, position, orientation }) => {
    const mixed = (stem: string, otherwise: number) => {
      const column = layout.at(`${stem}_${name}`);
      if (column < 0) return otherwise;
      const at = offset + column;
      return from[at]! + part * (to[at]! - from[at]!);
    };
    const turn = ['qw', 'qx', 'qy', 'qz'].map((stem, i) => mixed(stem, orientation[i]!));
    const size = Math.hypot(...turn) || 1;
    return {
      position: ['x', 'y', 'z'].map((stem, i) => mixed(stem, position[i]!)) as BodyPose['position'],
      orientation: turn.map((c) => c / size) as BodyPose['orientation'],
    };
  });
}

// How far bodies reach from their middle at the start; the space of coordinates, from its origin.
export function extentOf(bodies: BodyInfo[]): { center: [number, number, number]; reach: number } {
  if (bodies.length === 1 && bodies[0]!.free === false) return { center: [0, 0, 0], reach: bodies[0]!.size[0] / pointSize };
  const center = [0, 1, 2].map((i) => bodies.reduce((sum, { position }) => sum + position[i]!, 0) / Math.max(1, bodies.length)) as [number, number, number];
  const reach = bodies.map(({ position, size }) => Math.hypot(...position.map((x, i) => x - center[i]!)) + Math.hypot(...size) / 2);
  return { center, reach: Math.max(0, ...reach) };
}
