// How far ghosts are from the motion, and how fast the distance grows.
import type { ChainInfo, Description } from './engine/protocol';
import type { Layout } from './rows';
import { ticksPerSecond } from './rows';

interface Layouts {
  layout: Layout;
  ghostLayout: Layout;
}

// Distance of the last bobs over twice the chain's length: 0 to 1.
export function partingOf({ layout, ghostLayout }: Layouts, chains: ChainInfo[], row: Float64Array, ghost: number): number {
  const chain = chains[0];
  if (!chain) return NaN; // ghosts of mechanisms are compared by energy alone
  const last = chain.length.length - 1;
  const offset = layout.width + ghost * ghostLayout.width;
  const apart = ['x', 'y', 'z'].map((axis) => row[layout.of(axis, chain) + last]! - row[offset + ghostLayout.of(axis, chain) + last]!);
  const length = chain.length.reduce((a, b) => a + b, 0);
  return Math.hypot(...apart) / (2 * length);
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

  add(tick: number, layouts: Layouts, { chains, ghosts }: Description, row: Float64Array) {
    if (row.length < layouts.layout.width + ghosts.length * layouts.ghostLayout.width) return;
    ghosts.forEach((_, i) => {
      const track = (this.tracks[i] ??= { ticks: [], partings: [] });
      const every = 6;
      if (tick % every && track.ticks.length) return;
      track.ticks.push(tick);
      track.partings.push(partingOf(layouts, chains, row, i));
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
