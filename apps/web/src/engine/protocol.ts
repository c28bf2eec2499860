// What page and worker say to each other, and what the engine answers. Names inside requests and answers are the
// engine's (engine/engine.cpp).

export interface Stem {
  name: string;
  labels: string[];
}

export interface ChainInfo {
  name: string;
  elastic: boolean;
  planar: boolean;
  azimuth: number;
  pivot: [number, number, number]; // at the start
  moving: boolean; // the pivot, or it is told by the first link
  rests?: boolean; // the pivot, however it is told
  length: number[];
  mass: number[];
  parent: number[];
  stiffness: number[];
}

export interface BodyInfo {
  name: string;
  shape: string;
  size: [number, number, number];
  mass: number;
  fixed: boolean;
  free?: boolean; // false: it moves, but not by hand
  axes?: string[]; // a point in the space of coordinates: their names, along x, y and z
  position: [number, number, number]; // at the start
  orientation: [number, number, number, number]; // w x y z
}

// Points are in the bodies' own frames; -1 is the ground.
export interface JointInfo {
  name: string;
  a: number;
  b: number;
  in_a: [number, number, number];
  in_b: [number, number, number];
  ties: boolean; // other joints, as gears do
}

export type Turn = [number, number, number, number]; // w x y z

// What there is to draw, as runs in JSON have it (docs/exchange.md).
export interface DrawnShape {
  shape: string;
  size?: Point; // extents along its own axes; meshes have none
  vertices?: Point[];
  triangles?: [number, number, number][];
  position: Point; // of a cone: of its base
  orientation: Turn;
}

export interface DrawnBody {
  name: string;
  fixed: boolean;
  point: boolean;
  mass: number;
  position: Point;
  orientation: Turn;
  shapes: DrawnShape[];
  ellipsoid?: Point; // extents of the one with its inertia, where it has no shape
  charge?: number;
}

// Anchors and axes in the frames of the bodies, those of "ground" in the world. Gears and racks tie two joints.
export interface DrawnJoint {
  name: string;
  kind: string;
  bodies?: [string, string];
  anchors?: [Point, Point];
  axes?: [Point, Point];
  joints?: [string, string];
  ratio?: number;
  slides?: boolean; // along its axis
  curve?: Point[]; // along which the second body's point slides, in the first one's frame
}

export interface DrawnSpring {
  name: string;
  bodies: [string, string];
  anchors: [Point, Point];
  stiffness: number;
  damping: number;
}

export type DrawnEnd = { chain: number; link: number } | { body: string; anchor: Point };

export interface DrawnSource {
  kind: string; // magnet, point-charge, point-mass
  position: Point;
  moment?: Point;
  charge?: number;
}

export interface DrawnChain {
  links: { label: string; center_of_mass?: number; charge?: number }[];
  end?: { body: string; anchor: Point }; // what holds the last link's end
  slack?: boolean; // its links are ropes: they pull and do not push
}

export interface Drawing {
  chains: DrawnChain[];
  bodies: DrawnBody[];
  joints: DrawnJoint[];
  springs: DrawnSpring[];
  link_springs?: (Omit<DrawnSpring, 'bodies' | 'anchors'> & { ends: [DrawnEnd, DrawnEnd] })[];
  sources?: DrawnSource[];
  normal?: Point; // across the plane of a mechanism that moves in one
}

// Vectors at one instant, by columns, and how fast these change.
export interface Sight {
  names: string[];
  values: (number | null)[];
  rates: (number | null)[];
}

export interface Field {
  name: 'wind' | 'electric' | 'magnetic';
  unit: string;
  vectors: Point[];
}

export interface EquationSection {
  title: string;
  note: string;
  lines: [string, string][]; // both sides
}

export interface CoordinateInfo {
  name: string;
  start: number;
}

export interface Ghost {
  offset: number;
  method: string;
  tolerance?: number;
  step?: number;
  order?: number;
}

export interface Description {
  name: string;
  scene: SceneDocument;
  chains: ChainInfo[];
  bodies: BodyInfo[];
  joints: JointInfo[];
  coordinates: CoordinateInfo[]; // of a system given by its Lagrangian, or states of equations; then there is nothing else
  first_order: boolean; // equations: states, without rates and energies
  invariants: string[]; // that the equations are to keep
  parameters: { name: string; value: number }[]; // in the formulas of either
  drawing: Drawing;
  columns: Stem[];
  ghost_columns: Stem[];
  ghosts: Ghost[];
  degrees_of_freedom: number;
  method: string;
  order: number;
  settings: string;
  weight_scale: number;
  tick_seconds: number;
  constraints?: { equations: number; rank: number; redundant: Record<string, number>; reactions_not_unique: string[] }; // of bodies
  warnings: string[];
}

// What there is to see of a scene that is not in motion.
export type Seen = Pick<Description, 'scene' | 'chains' | 'bodies' | 'joints' | 'coordinates' | 'first_order' | 'invariants' | 'drawing'>;

export interface Standing {
  tick: number;
  begin: number;
  end: number;
  can_undo: boolean;
  can_redo: boolean;
}

export type Described = Description & Standing;
export type Changed = Described & { energy_before: number; energy_after: number; restarted: boolean };
// After a drag or a jump: a description only where it is another than before.
export type Moved = Standing & Partial<Description>;

export interface MethodInfo {
  name: string;
  order: string;
  adaptive: boolean;
  tolerance: number;
  summary: string;
  source: string;
}

export interface JsonSchema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

export interface QuantityInfo {
  stem: string;
  group: string;
  scope: string;
  unit: string;
  summary: string;
}

// A kind of joint, as the engine's own table has it.
export interface JointKind {
  name: string;
  equations: number;
  coordinate: string; // along which motors act: angle, travel, or none
  summary: string;
  shows: string[];
  place: 'point' | 'ends' | 'curve' | 'ties';
  axes: 'none' | 'orientation' | 'one' | 'two' | 'one-or-two';
  value: string; // key of the number that it needs
  curve: string; // key of its curve
  drawing: string;
}

export interface EngineInfo {
  version: string;
  joints: JointKind[];
  quantities: QuantityInfo[];
  methods: MethodInfo[];
  schema: JsonSchema;
}

// A scene as the core wrote it down: what a scene file says, with defaults left out.
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type SceneDocument = { [key: string]: Json };

// All that another page needs to go on with the same bits: a moment, or a session with its past.
export interface Moment {
  name: string;
  scene: string;
  spatial: boolean[];
  tick: number;
  tick_seconds?: number;
  motion: string;
  ghosts: Ghost[];
  ghost_motions: string[];
}

export interface Session {
  memory: { [key: string]: Json };
  scenes: Json[];
  snapshots: Json[];
}

export type Saved = Moment | Session;

// What can be undone and done again; `undo` is left out where the page knows this version of it.
export interface SavedSession {
  saved: Session;
  undo_version: number;
  undo?: Json;
}

export type Point = [number, number, number];

// What a hand holds: the end of a link, or a point of a body, in the body's frame.
export type Hold = { chain: number; link: number; may_leave_plane: boolean; pivot?: boolean } | { body: number; point: Point };

// What is done can be undone: all that one `gesture` does at once. What the page does by itself (`automatic`) cannot.
// `look`: how the page looks at it before.
interface Doing {
  gesture?: number;
  automatic?: boolean;
  look?: string;
}

interface SceneText {
  text: string;
  name?: string;
  source?: string;
}

export type Request =
  | { do: 'info' }
  | { do: 'describe' }
  | ({ do: 'load' } & SceneText & Doing)
  | ({ do: 'check' } & SceneText)
  | ({ do: 'change' } & SceneText & Doing)
  | ({ do: 'drag'; target: Point } & Hold & Doing)
  | ({ do: 'hold'; target: Point } & Hold & Doing)
  | { do: 'pull'; target: Point }
  | { do: 'let_go' }
  | ({ do: 'ghosts'; ghosts: Ghost[] } & Doing)
  | { do: 'reset'; as_dragged: boolean }
  | { do: 'go'; tick: number }
  | { do: 'undo'; look?: string }
  | { do: 'redo' }
  | { do: 'columns' }
  | { do: 'watch'; columns: string[] }
  | { do: 'plot'; columns: string[]; first: number; last: number; points: number; envelope: boolean; most_ticks: number }
  | { do: 'table'; first: number; last: number }
  | { do: 'save' }
  | { do: 'session'; undo_known?: number }
  | ({ do: 'restore'; saved: Saved; undo?: Json } & Doing)
  | { do: 'record'; quantities?: string[] }
  | { do: 'sight'; quantities: string[] }
  | { do: 'fields'; places: Point[] }
  | { do: 'equations' };

export interface Answers {
  info: EngineInfo;
  describe: Described;
  load: Described;
  check: Seen;
  change: Changed;
  drag: Moved;
  hold: Described & { held: boolean };
  pull: Standing;
  let_go: Described & { energy_before: number; energy_after: number };
  ghosts: Described;
  reset: Described;
  go: Moved;
  undo: Described & { done: boolean; look: string };
  redo: Described & { done: boolean; look: string };
  columns: { columns: Stem[] };
  watch: Standing;
  // Rows of values, each behind its tick; `complete`: there is no more to compute.
  plot: { width: number; stride: number; complete: boolean };
  table: { width: number };
  save: Moment & Standing;
  session: SavedSession & Standing;
  restore: Described;
  record: { csv: string; summary: { [key: string]: Json } };
  sight: Sight & Standing;
  fields: { fields: Field[] };
  equations: { sections: EquationSection[]; reason?: string };
}

// How an advance ended: all ticks done; a change of the past was made again (ask for the description); the motion
// could not go on.
export const enum AdvanceStatus {
  done = 0,
  redone = 1,
  failed = 2,
}

export type ToWorker =
  | { id: number; kind: 'start'; wasm: WebAssembly.Module }
  | { id: number; kind: 'call'; request: Request }
  | { id: number; kind: 'memory' }
  // Stops early when `budget` milliseconds are over.
  | { id: number; kind: 'advance'; ticks: number; budget: number };

export type FromWorker =
  | { id: number; kind: 'started' }
  | { id: number; kind: 'answer'; answer: unknown; row: Float64Array }
  | { id: number; kind: 'mistakes'; mistakes: string[] }
  | { id: number; kind: 'memory'; bytes: number }
  | { id: number; kind: 'died'; reason: string }
  | { id: number; kind: 'rows'; count: number; rows: Float64Array; status: AdvanceStatus; milliseconds: number; tick: number };
