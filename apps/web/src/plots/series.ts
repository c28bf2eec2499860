// What plots show: the angles of a few links over the last seconds.
import * as actions from '../actions';
import * as store from '../store';
import { ticksPerSecond } from '../rows';

export const shownSeconds = 40;
const mostPoints = 1200;

export interface LinkSeries {
  link: number; // index in all links
  label: string;
  theta: number; // columns of the row
  omega: number;
}

export function shownLinks(): LinkSeries[] {
  const description = store.description.value;
  if (!description) return [];
  const { layout } = actions.theLab();
  const out: LinkSeries[] = [];
  let first = 0;
  for (const chain of description.chains) {
    const n = chain.length.length;
    // The first ones and the last one of long chains.
    const own = n <= 10 ? [...Array(n).keys()] : [...Array(9).keys(), n - 1];
    const [theta, omega] = [layout.of('theta', chain), layout.of('theta_dot', chain)];
    for (const k of own) {
      out.push({ link: first + k, label: chain.name ? `${chain.name} ${k + 1}` : String(k + 1), theta: theta + k, omega: omega + k });
    }
    first += n;
  }
  return (out.length ? out : jointSeries()).slice(0, 20);
}

// Scenes without chains: the coordinates of their joints.
function jointSeries(): LinkSeries[] {
  const { layout } = actions.theLab();
  return layout.names().flatMap((name, theta) => {
    const match = /^(angle|travel)_(.+)$/.exec(name);
    if (!match || name.endsWith('_dot')) return [];
    return [{ link: 0, label: match[2]!, theta, omega: layout.at(`${name}_dot`) }];
  }).map((series, link) => ({ ...series, link }));
}

// Rows of the last seconds, thinned to what a plot can show.
export function shownRows(): { times: number[]; rows: Float64Array[] } {
  const { rows: all } = actions.theLab();
  const first = all.since(shownSeconds);
  const stride = Math.max(1, Math.ceil((all.rows.length - first) / mostPoints));
  const times: number[] = [];
  const rows: Float64Array[] = [];
  // Counted by ticks, so that points do not wander while time goes on.
  for (let i = first; i < all.rows.length; i++) {
    if (stride > 1 && all.ticks[i]! % stride && i !== all.rows.length - 1) continue;
    times.push(all.ticks[i]! / ticksPerSecond);
    rows.push(all.rows[i]!);
  }
  return { times, rows };
}
