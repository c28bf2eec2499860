// The editor's moves of chains: where links end, and links and chains that a hand draws.
import type { Point, SceneDocument } from '../engine/protocol';
import { chainsOf, copyOf, entriesOf } from './document';
import { bodiesAt } from './build';
import { nameOf, bodyOf, Refusal, cleaned, freshName, namesIn, chainAt } from './page';
import { added, angleFrom, distance, inFrame, inWorld, pointFrom, tidy, tidyPoint, type Table } from './space';

const own = ['theta', 'theta_step', 'repeat', 'phi_step'];

// One entry for each link, turned as the entries say.
export function spelledOut(chain: Table): Table[] {
  return entriesOf(chain).flatMap((entry) => {
    const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !own.includes(key)));
    const [theta, step] = [angleFrom(entry.theta) ?? 0, angleFrom(entry.theta_step) ?? 0];
    return Array.from({ length: Number(entry.repeat ?? 1) }, (_, k) => {
      const { parent, ...rest } = kept;
      const link: Table = k === 0 && parent !== undefined ? kept : rest;
      return pointFrom(entry.direction) ? { ...link } : { ...link, theta: entry.theta_step === undefined && entry.theta !== undefined ? entry.theta : tidy(theta + k * step) };
    });
  });
}

function wayOf(link: Table): Point {
  const direction = pointFrom(link.direction);
  const length = Number(link.length ?? 1) + Number(link.stretch ?? 0);
  if (direction) return direction.map((c) => (c * length) / (Math.hypot(...direction) || 1)) as Point;
  const [theta, phi] = [angleFrom(link.theta) ?? 0, angleFrom(link.phi) ?? 0];
  return [length * Math.sin(theta) * Math.cos(phi), length * Math.sin(theta) * Math.sin(phi), -length * Math.cos(theta)];
}

export function pivotPlace(doc: SceneDocument, c: number): Point {
  const chain = chainAt(doc, c);
  if (typeof chain.pivot === 'string') return inWorld(bodyOf(doc, chain.pivot), pointFrom(chain.pivot_point) ?? [0, 0, 0]);
  return pointFrom(chain.pivot) ?? [0, 0, 0];
}

// Where the links of a chain end.
export function linkEnds(doc: SceneDocument, c: number): { from: Point; to: Point }[] {
  const out: { from: Point; to: Point }[] = [];
  spelledOut(chainAt(doc, c)).forEach((link, k) => {
    const parent = typeof link.parent === 'number' ? link.parent : k;
    const from = parent === 0 ? pivotPlace(doc, c) : (out[parent - 1]?.to ?? pivotPlace(doc, c));
    out.push({ from, to: added(from, wayOf(link)) });
  });
  return out;
}

// The links of all chains, as many of each as a hand can tell apart.
export const linksOf = (doc: SceneDocument) => chainsOf(doc).flatMap((_, index) => linkEnds(doc, index).map(({ from, to }, link) => ({ index, link, from, to })));

export const chainLabel = (doc: SceneDocument, c: number) => nameOf(chainAt(doc, c)) || 'chain';

export function linkAt(doc: SceneDocument, at: Point, near: number): { index: number; chain: string; link: number } | null {
  for (let index = 0; index < chainsOf(doc).length; index++) {
    const link = linkEnds(doc, index).findIndex(({ to }) => distance(to, at) <= near);
    if (link >= 0) return { index, chain: chainLabel(doc, index), link };
  }
  return null;
}

const swing = (from: Point, to: Point) => Math.atan2(to[0] - from[0], from[2] - to[2]);

// Chains of a scene by name, once there are several.
function withChain(doc: SceneDocument, chain: Table): SceneDocument {
  const next = copyOf(doc);
  const before = chainsOf(next);
  if (!before.length) next.chain = chain;
  else {
    const named = [...before];
    named.forEach((one) => (one.name ??= freshName(namesIn(next), 'chain')));
    next.chains = [...named, { name: freshName([...namesIn(next), ...named.map(nameOf)], 'chain'), ...chain }];
    delete next.chain;
  }
  return cleaned(next);
}

// What a chain hangs on, or is held by, at a place: a body, else the ground.
function hold(doc: SceneDocument, key: 'pivot' | 'end', at: Point, near: number): Table {
  const body = bodiesAt(doc, at, near)[0];
  return body === undefined ? { [key]: tidyPoint(at) } : { [key]: body, [`${key}_point`]: tidyPoint(inFrame(bodyOf(doc, body), at)) };
}

// One link more: at the end of another one, or the first of a new chain, on a body or in the air.
export function addLink(doc: SceneDocument, from: Point, to: Point, near: number): { doc: SceneDocument; chain: number; link: number } {
  const link: Table = { length: tidy(distance(from, to)), mass: 0.5, theta: tidy(swing(from, to)) };
  const on = linkAt(doc, from, near);
  if (!on) {
    const made = withChain(doc, { ...hold(doc, 'pivot', from, near), links: [link] });
    return { doc: made, chain: chainsOf(made).length - 1, link: 0 };
  }
  const next = copyOf(doc);
  const chain = chainAt(next, on.index);
  const links = spelledOut(chain);
  if (chain.end !== undefined && on.link === links.length - 1) throw new Refusal('build.held-end', from);
  if (chain.kind === 'elastic') link.stiffness = links[on.link]!.stiffness ?? 200;
  if (on.link !== links.length - 1) link.parent = on.link + 1;
  chain.links = [...links, link];
  return { doc: next, chain: on.index, link: links.length };
}

const chainLinks = 12;
const ropeLinks = 24;

// A chain that hangs from one place to another: an arc of equal bends, longer than the way by a sixth. Its end is held where a body
// is there. A rope has more and lighter links; one that hangs free pulls and does not push.
export function addChain(doc: SceneDocument, from: Point, to: Point, near: number, rope: boolean): { doc: SceneDocument; chain: number } {
  const held = bodiesAt(doc, to, near).length > 0;
  const slack = rope && !held && !bodiesAt(doc, from, near).length; // elastic chains hang on the ground alone
  const [n, way] = [rope && !slack ? ropeLinks : chainLinks, distance(from, to)];
  const length = ((held ? 7 / 6 : 1) * way) / n;
  // Links of such an arc, each bent by s against the one before, reach sin(n s/2) / sin(s/2) lengths far.
  let [low, high] = [1e-9, (2 * Math.PI) / n];
  for (let i = 0; i < 60 && held; i++) {
    const s = (low + high) / 2;
    if (Math.sin((n * s) / 2) / Math.sin(s / 2) > way / length) low = s;
    else high = s;
  }
  const bend = held ? (to[0] >= from[0] ? low : -low) : 0;
  const link: Table = { length, mass: tidy(0.6 / n), theta: swing(from, to) - ((n - 1) / 2) * bend, repeat: n };
  if (bend) link.theta_step = bend;
  if (slack) Object.assign(link, { stiffness: 2000, axial_damping: 0.5 });
  const made = withChain(doc, { ...(slack ? { kind: 'elastic', slack: true } : {}), ...hold(doc, 'pivot', from, near), ...(held ? hold(doc, 'end', to, near) : {}), links: [link] });
  return { doc: made, chain: chainsOf(made).length - 1 };
}

// The end of a link to another place: its length and angle; those behind it keep theirs.
export function moveLink(doc: SceneDocument, c: number, k: number, to: Point): SceneDocument {
  const next = copyOf(doc);
  const { from } = linkEnds(doc, c)[k]!;
  const links = spelledOut(chainAt(next, c));
  const { direction: _, phi: __, ...link } = links[k]!;
  links[k] = { ...link, length: tidy(distance(from, to)), theta: tidy(swing(from, to)) };
  chainAt(next, c).links = links;
  return next;
}

// The end of a chain, held where it is or let go.
export function holdEnd(doc: SceneDocument, c: number, held: boolean, near: number): SceneDocument {
  const next = copyOf(doc);
  const chain = chainAt(next, c);
  for (const key of ['end', 'end_point']) delete chain[key];
  if (held) Object.assign(chain, hold(doc, 'end', linkEnds(doc, c).at(-1)!.to, near));
  return next;
}
