// The shapes of scenes as geometries, placed as a drawing says.
import * as THREE from 'three';
import type { BodyInfo, DrawnShape, Point } from '../engine/protocol';

// About its centre, but a cone stands on its base. `least`: what an extent of zero is drawn as.
function plainGeometry(shape: string, size: Point, least: number): THREE.BufferGeometry {
  const [x, y, z] = size.map((extent) => (extent > 0 ? extent : least)) as Point;
  switch (shape) {
    case 'sphere':
    case 'ellipsoid':
      return new THREE.SphereGeometry(0.5, 32, 22).scale(x, y, z);
    case 'rod':
      return new THREE.CylinderGeometry(Math.max(y, least) / 2, Math.max(y, least) / 2, x, 16).rotateZ(Math.PI / 2);
    case 'cylinder':
      return new THREE.CylinderGeometry(0.5, 0.5, 1, 32).rotateX(Math.PI / 2).scale(x, y, z);
    case 'cone':
      return new THREE.ConeGeometry(0.5, 1, 32).rotateX(Math.PI / 2).translate(0, 0, 0.5).scale(x, y, z);
    case 'capsule':
      return new THREE.CapsuleGeometry(x / 2, Math.max(0, z - x), 10, 24).rotateX(Math.PI / 2);
    case 'point':
      return new THREE.SphereGeometry(1.5 * least, 24, 16);
    default:
      return new THREE.BoxGeometry(x, y, z);
  }
}

function meshGeometry(vertices: Point[], triangles: [number, number, number][]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(vertices.flat(), 3));
  geometry.setIndex(triangles.flat());
  // Every face by itself, so that edges stay edges.
  const faces = geometry.toNonIndexed();
  faces.computeVertexNormals();
  geometry.dispose();
  return faces;
}

// In the body's frame.
export function shapeGeometry(drawn: DrawnShape, least: number): THREE.BufferGeometry {
  const { shape, size, vertices, triangles, position, orientation } = drawn;
  const geometry = vertices && triangles ? meshGeometry(vertices, triangles) : plainGeometry(shape, size ?? [0, 0, 0], least);
  const [w, x, y, z] = orientation;
  return geometry.applyQuaternion(new THREE.Quaternion(x, y, z, w)).translate(...position);
}

// A body of which nothing but its own shape is known, as in recorded runs without a scene.
export function bodyGeometry({ shape, size }: BodyInfo, least: number): THREE.BufferGeometry {
  const geometry = plainGeometry(shape, size, least);
  // About the centre of mass, a quarter of the height above its base.
  return shape === 'cone' ? geometry.translate(0, 0, -0.25 * (size[2] || least)) : geometry;
}

// A coil along y from 0 to 1, of unit radius. `slenderness`: of what it is stretched to, length over radius, so that its
// wire is round there.
export function coilGeometry(turns: number, slenderness: number): THREE.BufferGeometry {
  class Coil extends THREE.Curve<THREE.Vector3> {
    constructor() {
      super();
    }

    override getPoint(s: number, target = new THREE.Vector3()) {
      const lead = 0.08;
      const inside = Math.min(1, Math.max(0, (s - lead) / (1 - 2 * lead)));
      const swell = Math.min(1, 12 * inside, 12 * (1 - inside));
      const angle = 2 * Math.PI * turns * inside;
      return target.set(swell * Math.cos(angle), s * slenderness, swell * Math.sin(angle));
    }
  }
  return new THREE.TubeGeometry(new Coil(), turns * 16, 0.16, 7, false).scale(1, 1 / slenderness, 1);
}

// A cylinder and a piston along y from 0 to 1, of unit radius.
export function damperParts(): THREE.BufferGeometry[] {
  const bar = (radius: number, from: number, to: number) => new THREE.CylinderGeometry(radius, radius, to - from, 16).translate(0, (from + to) / 2, 0);
  return [bar(0.12, 0, 0.3), bar(0.9, 0.3, 0.62), bar(0.25, 0.6, 1)];
}

const teethOfSmallest = 16;

// Teeth around a circle, the first of them, or the first gap, on the x axis. `module`: pitch diameter over teeth.
function toothedOutline(radius: number, module: number, gap: boolean): THREE.Vector2[] {
  const teeth = Math.max(6, Math.round((2 * radius) / module));
  const pitch = (2 * Math.PI) / teeth;
  return Array.from({ length: teeth }, (_, k) => {
    const middle = (k + (gap ? 0.5 : 0)) * pitch;
    return profile.map(([part, out]) => {
      const [angle, r] = [middle + part * pitch, radius + out * module];
      return new THREE.Vector2(r * Math.cos(angle), r * Math.sin(angle));
    });
  }).flat();
}

// Of a tooth: parts of the pitch, and modules beyond the pitch circle.
const profile = [[-0.3, -1], [-0.14, 0.9], [0.14, 0.9], [0.3, -1]] as const;

export function gearGeometry(radius: number, module: number, thick: number, gap: boolean): THREE.BufferGeometry {
  const hole = new THREE.Path().absarc(0, 0, 0.6 * Math.max(0.15 * radius, radius - 6 * module), 0, 2 * Math.PI, true);
  return slab(new THREE.Shape(toothedOutline(radius, module, gap)), hole, thick);
}

// With its teeth inside: a gap on the x axis.
export function ringGeometry(radius: number, module: number, thick: number): THREE.BufferGeometry {
  return slab(new THREE.Shape().absarc(0, 0, radius + 3 * module, 0, 2 * Math.PI, false) as THREE.Shape, new THREE.Path(toothedOutline(radius, module, false).reverse()), thick);
}

function slab(shape: THREE.Shape, hole: THREE.Path | null, thick: number): THREE.BufferGeometry {
  if (hole) shape.holes.push(hole);
  return new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: false, curveSegments: 32 }).translate(0, 0, -thick / 2);
}

// A toothed bar along x, its teeth pointing to +y, its pitch line on the x axis.
export function rackGeometry(length: number, module: number, thick: number): THREE.BufferGeometry {
  const pitch = Math.PI * module;
  const teeth = Math.max(4, Math.round(length / pitch));
  const points: THREE.Vector2[] = [new THREE.Vector2(-(teeth / 2) * pitch, -3 * module)];
  for (let k = 0; k < teeth; k++) {
    const middle = (k + 0.5 - teeth / 2) * pitch;
    for (const [part, out] of profile) points.push(new THREE.Vector2(middle + part * pitch, out * module));
  }
  points.push(new THREE.Vector2((teeth / 2) * pitch, -3 * module));
  return slab(new THREE.Shape(points), null, thick);
}

export const moduleOf = (smallestRadius: number) => (2 * smallestRadius) / teethOfSmallest;
