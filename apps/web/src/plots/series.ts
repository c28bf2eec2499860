// What plots show: the angles of a few links over the last seconds.
import * as actions from '../actions';
import { shownRow, trajectory } from '../files/trajectory';
import * as store from '../store';
import { ticksPerSecond, timeScale, type Layout } from '../rows';

export const shownSeconds = () => (trajectory.value ? 40 : 40 * timeScale);
const mostPoints = 1200;

export interface LinkSeries {
  link: number; // index in all links
  label: string;
  theta: number; // columns of the row
  omega: number;
}

// A recorded run where one is shown, else the motion.
export function shownLayout(): Layout {
  return trajectory.value?.layout ?? actions.theLab().layout;
}

// Changes whenever a plot has something new to show.
export function shownStamp(): string {
  return trajectory.value ? `row ${shownRow.value}` : `tick ${store.standing.value.tick}`;
}

export function shownLinks(): LinkSeries[] {
  const chains = (trajectory.value ?? store.description.value)?.chains;
  if (!chains) return [];
  const layout = shownLayout();
  const out: LinkSeries[] = [];
  let first = 0;
  for (const chain of chains) {
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
  const layout = shownLayout();
  const coordinates = trajectory.value ? [] : (store.description.value?.coordinates ?? []);
  if (coordinates.length) return coordinates.map(({ name }, link) => ({ link, label: name, theta: layout.at(name), omega: layout.at(`${name}_dot`) }));
  return layout.names().flatMap((name, theta) => {
    const match = /^(angle|travel)_(.+)$/.exec(name);
    if (!match || name.endsWith('_dot')) return [];
    return [{ link: 0, label: match[2]!, theta, omega: layout.at(`${name}_dot`) }];
  }).map((series, link) => ({ ...series, link }));
}

// The same of a recorded run: up to the row that is shown.
function recordedRows(): { times: number[]; rows: Float64Array[] } {
  const { times: all, rows } = trajectory.value!;
  const last = shownRow.value;
  let first = last;
  while (first > 0 && all[first - 1]! >= all[last]! - shownSeconds()) first--;
  const stride = Math.max(1, Math.ceil((last - first) / mostPoints));
  const chosen: number[] = [];
  for (let i = first; i <= last; i++) if (i % stride === 0 || i === last) chosen.push(i);
  return { times: chosen.map((i) => all[i]!), rows: chosen.map((i) => rows[i]!) };
}

// Rows of the last seconds, thinned to what a plot can show.
export function shownRows(): { times: number[]; rows: Float64Array[] } {
  if (trajectory.value) return recordedRows();
  const { rows: all } = actions.theLab();
  const first = all.since(shownSeconds());
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
