// Scenes as the page edits them: documents in the words of scene files. The core checks every one.
import type { ChainInfo, Description, Json, SceneDocument } from '../engine/protocol';
import type { Layout } from '../rows';

type Table = { [key: string]: Json };

export function copyOf(doc: SceneDocument): SceneDocument {
  return structuredClone(doc);
}

export function simulationOf(doc: SceneDocument): Table {
  doc.simulation ??= {};
  return doc.simulation as Table;
}

export function chainsOf(doc: SceneDocument): Table[] {
  if (doc.chains) return doc.chains as Table[];
  return doc.chain ? [doc.chain as Table] : [];
}

export function entriesOf(chain: Table): Table[] {
  return (chain.links ?? []) as Table[];
}

export interface ChainWish {
  links: number;
  elastic: boolean;
  stiffness: number;
  gravity: number;
  damping: number; // velocity_damping, 1/s
}

// Well above the horizontal; long chains at it.
const startAngle = (links: number) => (links > 20 ? 90 : 120);

// The page's own chain: equal links of 1 m and 1 kg, let go from rest.
export function newChain(wish: ChainWish): SceneDocument {
  const link: Table = { length: 1, mass: 1, theta: `${startAngle(wish.links)} deg` };
  if (wish.links > 1) link.repeat = wish.links;
  if (wish.elastic) link.stiffness = wish.stiffness;
  const chain: Table = { kind: wish.elastic ? 'elastic' : 'rigid', links: [link] };
  if (wish.damping > 0) chain.velocity_damping = wish.damping;
  return {
    simulation: { duration: 40, sample: 0.01, gravity: wish.gravity, method: 'taylor', tolerance: 1e-12 },
    chain,
  };
}

// The same as it looks at the start.
export function firstPicture({ links, elastic, stiffness }: ChainWish): { chain: ChainInfo; places: Float32Array } {
  const each = <T>(value: (k: number) => T) => Array.from({ length: links }, (_, k) => value(k));
  const angle = (startAngle(links) * Math.PI) / 180;
  return {
    chain: { name: '', elastic, planar: true, azimuth: 0, pivot: [0, 0, 0], moving: false, length: each(() => 1), mass: each(() => 1), parent: each((k) => k - 1), stiffness: each(() => stiffness) },
    places: Float32Array.from(each((k) => [(k + 1) * Math.sin(angle), 0, -(k + 1) * Math.cos(angle)]).flat()),
  };
}

export function gravityOf(doc: SceneDocument): number {
  const gravity = simulationOf(doc).gravity;
  if (typeof gravity === 'number') return gravity;
  return Array.isArray(gravity) ? -(gravity[2] as number) : 9.81;
}

export function setGravity(doc: SceneDocument, g: number) {
  const { gravity } = simulationOf(doc);
  const sideways = Array.isArray(gravity) && (gravity[0] !== 0 || gravity[1] !== 0);
  simulationOf(doc).gravity = sideways ? [gravity[0]!, gravity[1]!, -g] : g;
}

// The rate gamma of the force -gamma m v on every mass; 0: none.
export function dampingOf(doc: SceneDocument): number {
  const gamma = chainsOf(doc)[0]?.velocity_damping;
  return typeof gamma === 'number' ? gamma : 0;
}

export function setDamping(doc: SceneDocument, rate: number) {
  for (const chain of chainsOf(doc)) {
    if (rate > 0) chain.velocity_damping = rate;
    else delete chain.velocity_damping;
  }
}

export function stiffnessOf(doc: SceneDocument): number | undefined {
  for (const chain of chainsOf(doc)) {
    for (const link of entriesOf(chain)) if (typeof link.stiffness === 'number') return link.stiffness;
  }
  return undefined;
}

export function setStiffness(doc: SceneDocument, stiffness: number) {
  for (const chain of chainsOf(doc)) {
    if (chain.kind === 'elastic') for (const link of entriesOf(chain)) link.stiffness = stiffness;
  }
}

export function isElastic(doc: SceneDocument): boolean {
  return chainsOf(doc).some((chain) => chain.kind === 'elastic');
}

export function setElastic(doc: SceneDocument, elastic: boolean, stiffness: number) {
  for (const chain of chainsOf(doc)) {
    chain.kind = elastic ? 'elastic' : 'rigid';
    delete chain.formulation;
    for (const link of entriesOf(chain)) {
      if (elastic) link.stiffness ??= stiffness;
      else for (const key of ['stiffness', 'stretch', 'stretch_dot', 'axial_damping']) delete link[key];
    }
  }
}

const startKeys = ['theta', 'phi', 'theta_dot', 'phi_dot', 'theta_step', 'phi_step', 'direction', 'rate', 'stretch', 'stretch_dot', 'repeat', 'parent'];

// One entry per link, without what says where it starts.
export function separateLinks(chain: Table): Table[] {
  return entriesOf(chain).flatMap((entry) => {
    const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !startKeys.includes(key)));
    return Array.from({ length: typeof entry.repeat === 'number' ? entry.repeat : 1 }, () => ({ ...kept }));
  });
}

export interface LinkState {
  direction: number[];
  rate: number[];
  stretch: number;
  stretchRate: number;
}

// How the links of a chain stand in a row: the link's vector r gives u = r/|r|, and its rate v gives w = (v - u (u.v))/|r|.
export function linkStates(description: Description, layout: Layout, row: Float64Array, c: number): LinkState[] {
  const chain = description.chains[c]!;
  const places = ['x', 'y', 'z'].map((axis) => layout.of(axis, chain));
  const rates = ['vx', 'vy', 'vz'].map((axis) => layout.of(axis, chain));
  return chain.length.map((length, k) => {
    const parent = chain.parent[k]!;
    const r = places.map((at, i) => row[at + k]! - (parent < 0 ? chain.pivot[i]! : row[at + parent]!));
    const v = rates.map((at) => row[at + k]! - (parent < 0 ? 0 : row[at + parent]!));
    const extent = Math.hypot(...r);
    const direction = r.map((component) => component / extent);
    const lengthening = direction.reduce((sum, u, i) => sum + u * v[i]!, 0);
    const rate = v.map((component, i) => (component - lengthening * direction[i]!) / extent);
    return { direction, rate, stretch: chain.elastic ? extent - length : 0, stretchRate: chain.elastic ? lengthening : 0 };
  });
}

// The scene that starts where the motion is now.
export function sceneFromHere(doc: SceneDocument, description: Description, layout: Layout, row: Float64Array): SceneDocument {
  const out = copyOf(doc);
  chainsOf(out).forEach((chain, c) => {
    const info = description.chains[c]!;
    const states = linkStates(description, layout, row, c);
    const links = separateLinks(chain);
    links.forEach((link, k) => {
      const { direction, rate, stretch, stretchRate } = states[k]!;
      link.direction = direction;
      if (rate.some((w) => w !== 0)) link.rate = rate;
      if (info.elastic && stretch !== 0) link.stretch = stretch;
      if (info.elastic && stretchRate !== 0) link.stretch_dot = stretchRate;
      if (info.parent[k] !== k - 1) link.parent = info.parent[k]! + 1;
    });
    chain.links = links;
  });
  return out;
}
