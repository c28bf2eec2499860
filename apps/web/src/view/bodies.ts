// Rigid bodies as solids: all parts of a drawing, with what joints add to them.
import * as THREE from 'three';
import type { BodyInfo, Drawing, JointInfo, Point } from '../engine/protocol';
import type { BodyPose } from '../rows';
import { gearsOf, jointPart, wiresOf } from './joints';
import { linkColor } from './palette';
import { bodyGeometry, shapeGeometry } from './solids';

const mostDetailed = 150; // bodies with arms and pins: of more of them nobody could tell these

export interface Look {
  dark: boolean;
  ghost: boolean;
  tint?: string | null; // of a ghost that is told apart from others
}

// From a body's middle to where a joint holds it.
function arm(point: Point, reach: number, material: THREE.Material): THREE.Object3D {
  const end = new THREE.Vector3(...point);
  const length = end.length();
  const bar = new THREE.Mesh(new THREE.CylinderGeometry(reach / 160, reach / 160, Math.max(length, 1e-12), 10), material);
  bar.position.copy(end).multiplyScalar(0.5);
  bar.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), end.divideScalar(length || 1));
  bar.castShadow = true;
  return bar;
}

export class Bodies {
  readonly group = new THREE.Group();
  private movable: boolean[] = [];
  private radii: number[] = [];
  private materials: THREE.MeshStandardMaterial[][] = []; // of each body

  build(bodies: BodyInfo[], joints: JointInfo[], drawing: Drawing | undefined, reach: number, { dark, ghost, tint }: Look) {
    this.clear();
    this.movable = bodies.map(({ fixed, free }) => !fixed && free !== false);
    bodies.forEach((body, i) => {
      const plain = body.fixed ? (dark ? '#94a3b8' : '#64748b') : linkColor(i, bodies.length, dark);
      const color = ghost ? tint ?? (dark ? '#c9d4e6' : '#64748b') : plain;
      const solid = (opacity: number) => new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.05, transparent: opacity < 1, opacity, depthWrite: opacity === 1 });
      const material = solid(ghost ? (tint ? 0.6 : 0.3) : 1);
      const group = new THREE.Group();
      group.visible = !(ghost && body.fixed);
      for (const geometry of this.geometriesOf(body, drawing, i, reach)) group.add(new THREE.Mesh(geometry, material));
      this.materials.push([material]);
      const ellipsoid = drawing?.bodies[i]?.ellipsoid;
      if (ellipsoid) {
        // Not its shape, but what its mass is like: joints and arms are seen through it.
        const held = joints.filter(({ a, b, ties }) => !ties && (a === i || b === i)).length;
        const pale = solid(ghost ? 0.12 : held > 1 ? 0.2 : 0.5);
        this.materials[i]!.push(pale);
        group.add(new THREE.Mesh(new THREE.SphereGeometry(0.5, 40, 28).scale(...ellipsoid), pale), new THREE.Mesh(new THREE.SphereGeometry(reach / 70, 16, 12), material));
      }
      for (const mesh of group.children) mesh.castShadow = !ghost;
      joints.forEach(({ a, b, in_a, in_b, ties }, j) => {
        const drawn = drawing?.joints[j];
        if (ties || (a !== i && b !== i) || bodies.length > mostDetailed) return;
        const point = b === i ? in_b : in_a;
        // A slide's place along its axis means nothing to the body.
        if (drawn?.kind !== 'prismatic' && Math.hypot(...point) > 1e-9) group.add(arm(point, reach, material));
        if (b === i || b < 0) group.add(jointPart(drawn, point, b === i ? 1 : 0, reach, dark, ghost));
      });
      this.group.add(group);
      this.radii.push(radiusOf(group, reach));
    });
    if (ghost || !drawing) return;
    const [materials, put] = [bodies.map((_, i) => this.materials[i]![0]!), (body: number, part: THREE.Object3D) => this.group.children[body]?.add(part)] as const;
    gearsOf(drawing, materials, put);
    wiresOf(drawing, reach, materials, put);
  }

  private geometriesOf(body: BodyInfo, drawing: Drawing | undefined, i: number, reach: number): THREE.BufferGeometry[] {
    const drawn = drawing?.bodies[i];
    if (drawn?.shapes.length) return drawn.shapes.map((shape) => shapeGeometry(shape, reach / 60));
    return drawn?.ellipsoid ? [] : [bodyGeometry(body, reach / 60)];
  }

  update(poses: BodyPose[]) {
    this.group.children.forEach((part, i) => {
      const pose = poses[i];
      if (!pose) return;
      const [w, x, y, z] = pose.orientation;
      part.position.fromArray(pose.position);
      part.quaternion.set(x, y, z, w);
    });
  }

  // A point of a body's frame in the world.
  worldPoint(body: number, point: Point, target = new THREE.Vector3()): THREE.Vector3 {
    const part = this.group.children[body];
    target.fromArray(point);
    return part ? target.applyQuaternion(part.quaternion).add(part.position) : target;
  }

  // The body that a ray meets first and that can be moved, with the point there in the body's frame.
  pick(ray: THREE.Raycaster): { body: number; point: Point; place: Point } | null {
    for (const { object, point } of ray.intersectObjects(this.group.children, true)) {
      let part: THREE.Object3D = object;
      while (part.parent && part.parent !== this.group) part = part.parent;
      const body = this.group.children.indexOf(part);
      if (body < 0 || !this.movable[body]) continue;
      return { body, point: part.worldToLocal(point.clone()).toArray(), place: point.toArray() };
    }
    return null;
  }

  placeOf(body: number): Point {
    return this.group.children[body]?.position.toArray() ?? [0, 0, 0];
  }

  // How far its parts reach from its middle.
  radiusOf(body: number): number {
    return this.radii[body] ?? 0.1;
  }

  colorOf(body: number): THREE.Color {
    return this.materials[body]?.[0]?.color ?? new THREE.Color('#888888');
  }

  // The held body shines.
  setGlow(body: number | null) {
    this.materials.forEach((own, i) => {
      for (const { emissive, color } of own) emissive.copy(color).multiplyScalar(i === body ? 0.6 : 0);
    });
  }

  private clear() {
    disposeAll(this.group);
    this.materials = [];
    this.radii = [];
  }
}

function radiusOf(group: THREE.Object3D, reach: number): number {
  let radius = reach / 40;
  for (const part of group.children) {
    if (!(part instanceof THREE.Mesh)) continue;
    part.geometry.computeBoundingSphere();
    const { center, radius: own } = part.geometry.boundingSphere as THREE.Sphere;
    radius = Math.max(radius, center.length() + own);
  }
  return radius;
}

// Everything in a group, with what it keeps on the graphics card.
export function disposeAll(group: THREE.Object3D) {
  group.traverse((part) => {
    if (!(part instanceof THREE.Mesh || part instanceof THREE.LineSegments || part instanceof THREE.Sprite)) return;
    if (!(part instanceof THREE.Sprite)) part.geometry.dispose();
    (part.material as THREE.Material).dispose();
  });
  group.clear();
}
