// How far ghosts are from the motion, and how fast the distance grows.
import type { BodyInfo, CoordinateInfo, Description } from '../engine/protocol';
import { extentOf, posesBetween, ticksPerSecond, type Layout } from '../rows';

interface Layouts {
  layout: Layout;
  ghostLayout: Layout;
}

// The largest distance of a body from its ghost, and how far its rim has turned away, over twice the mechanism's extent.
function partingOfBodies({ layout, ghostLayout }: Layouts, bodies: BodyInfo[], row: Float64Array, offset: number): number {
  const own = posesBetween(layout, bodies, row, row, 1);
  const other = posesBetween(ghostLayout, bodies, row, row, 1, offset);
  const partings = bodies.map(({ size }, i) => {
    const apart = Math.hypot(...own[i]!.position.map((x, axis) => x - other[i]!.position[axis]!));
    // |sin| of half the angle between them, exact where it is small: p and -p are the same turn.
    const [p, q] = [own[i]!.orientation, other[i]!.orientation];
    const sign = p.reduce((sum, c, k) => sum + c * q[k]!, 0) < 0 ? -1 : 1;
    const chord = Math.hypot(...p.map((c, k) => c - sign * q[k]!));
    return apart + Math.hypot(...size) * Math.min(1, chord);
  });
  return Math.min(1, Math.max(...partings) / (2 * (extentOf(bodies).reach || 1)));
}

// Distance in the space of coordinates, over twice the distance from its origin, or 1.
function partingOfCoordinates({ layout, ghostLayout }: Layouts, coordinates: CoordinateInfo[], row: Float64Array, offset: number): number {
  const own = coordinates.map(({ name }) => row[layout.at(name)]!);
  const apart = coordinates.map(({ name }, i) => own[i]! - row[offset + ghostLayout.at(name)]!);
  return Math.min(1, Math.hypot(...apart) / (2 * Math.max(1, Math.hypot(...own))));
}

// Distance of the last bobs over twice the chain's length: 0 to 1.
export function partingOf(layouts: Layouts, { chains, bodies, coordinates }: Description, row: Float64Array, ghost: number): number {
  const { layout, ghostLayout } = layouts;
  const chain = chains[0];
  if (coordinates.length) return partingOfCoordinates(layouts, coordinates, row, layout.width + ghost * ghostLayout.width);
  if (!chain) return partingOfBodies(layouts, bodies, row, layout.width + ghost * ghostLayout.width);
  const last = chain.length.length - 1;
  const offset = layout.width + ghost * ghostLayout.width;
  const apart = ['x', 'y', 'z'].map((axis) => row[layout.of(axis, chain) + last]! - row[offset + ghostLayout.of(axis, chain) + last]!);
  const length = chain.length.reduce((a, b) => a + b, 0);
  return Math.min(1, Math.hypot(...apart) / (2 * length));
}

interface Track {
  ticks: number[];
  partings: number[];
}

// Beyond this the distance is as large as it can get, and grows no more.
const saturated = 0.03;

export class Divergence {
  private tracks: Track[] = [];

  clear() {
    this.tracks = [];
  }

  forgetAfter(tick: number) {
    for (const { ticks, partings } of this.tracks) {
      while (ticks.length && ticks[ticks.length - 1]! > tick) {
        ticks.pop();
        partings.pop();
      }
    }
  }

  add(tick: number, layouts: Layouts, description: Description, row: Float64Array) {
    const { ghosts } = description;
    if (row.length < layouts.layout.width + ghosts.length * layouts.ghostLayout.width) return;
    ghosts.forEach((_, i) => {
      const track = (this.tracks[i] ??= { ticks: [], partings: [] });
      const every = 6;
      if (tick % every && track.ticks.length) return;
      track.ticks.push(tick);
      track.partings.push(partingOf(layouts, description, row, i));
    });
  }

  trackOf(ghost: number): Track {
    return this.tracks[ghost] ?? { ticks: [], partings: [] };
  }

  // The slope of ln(distance) over time, by least squares up to where the distance saturates; 1/s.
  growthOf(ghost: number): number | null {
    const { ticks, partings } = this.trackOf(ghost);
    let [n, st, sy, stt, sty] = [0, 0, 0, 0, 0];
    for (let i = 0; i < ticks.length; i++) {
      const parting = partings[i]!;
      if (parting > saturated) break;
      if (!(parting > 0)) continue;
      const time = (ticks[i]! - ticks[0]!) / ticksPerSecond;
      const y = Math.log(parting);
      n++;
      st += time;
      sy += y;
      stt += time * time;
      sty += time * y;
    }
    const spread = n * stt - st * st;
    return n < 20 || spread <= 0 ? null : (n * sty - st * sy) / spread;
  }

  of(ghost: number): { distance: number; growth: number | null } {
    const { partings } = this.trackOf(ghost);
    return { distance: partings[partings.length - 1] || 0, growth: this.growthOf(ghost) };
  }
}
