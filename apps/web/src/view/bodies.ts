// Rigid bodies as solids: the shapes of scenes, with their extents along their own axes.
import * as THREE from 'three';
import type { BodyInfo, JointInfo, Point } from '../engine/protocol';
import type { BodyPose } from '../rows';
import { linkColor } from './palette';

function solidOf({ shape, size }: BodyInfo, small: number): THREE.BufferGeometry {
  const [x, y, z] = size.map((extent) => (extent > 0 ? extent : small)) as [number, number, number];
  switch (shape) {
    case 'sphere':
    case 'ellipsoid':
      return new THREE.SphereGeometry(0.5, 32, 22).scale(x, y, z);
    case 'rod':
      return new THREE.CylinderGeometry(Math.max(y, small) / 2, Math.max(y, small) / 2, x, 16).rotateZ(Math.PI / 2);
    case 'cylinder':
      return new THREE.CylinderGeometry(0.5, 0.5, 1, 32).rotateX(Math.PI / 2).scale(x, y, z);
    case 'cone':
      // About the centre of mass, a quarter of the height above its base.
      return new THREE.ConeGeometry(0.5, 1, 32).rotateX(Math.PI / 2).translate(0, 0, 0.25).scale(x, y, z);
    case 'capsule':
      return new THREE.CapsuleGeometry(x / 2, Math.max(0, z - x), 10, 24).rotateX(Math.PI / 2);
    case 'point':
      return new THREE.SphereGeometry(1.5 * small, 24, 16);
    default:
      return new THREE.BoxGeometry(x, y, z);
  }
}

// From a body's middle to where a joint holds it.
function arm(point: [number, number, number], reach: number, material: THREE.Material): THREE.Object3D {
  const group = new THREE.Group();
  const end = new THREE.Vector3(...point);
  const length = end.length();
  const joint = new THREE.Mesh(new THREE.SphereGeometry(reach / 75, 16, 12), material);
  joint.position.copy(end);
  group.add(joint);
  if (length > 1e-9) {
    const bar = new THREE.Mesh(new THREE.CylinderGeometry(reach / 160, reach / 160, length, 10), material);
    bar.position.copy(end).multiplyScalar(0.5);
    bar.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), end.clone().divideScalar(length));
    bar.castShadow = true;
    group.add(bar);
  }
  return group;
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly marks = new THREE.Group(); // joints with the ground
  private movable: boolean[] = [];
  private radii: number[] = [];

  build(bodies: BodyInfo[], joints: JointInfo[], reach: number, { dark, ghost }: { dark: boolean; ghost: boolean }) {
    this.clear();
    this.movable = bodies.map(({ fixed, free }) => !fixed && free !== false);
    this.radii = bodies.map(({ size }) => Math.max(reach / 40, Math.hypot(...size) / 2));
    bodies.forEach((body, i) => {
      const plain = body.fixed ? (dark ? '#94a3b8' : '#64748b') : linkColor(i, bodies.length, dark);
      const color = ghost ? (dark ? '#c9d4e6' : '#64748b') : plain;
      const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.05, transparent: ghost, opacity: ghost ? 0.3 : 1, depthWrite: !ghost });
      const mesh = new THREE.Mesh(solidOf(body, reach / 60), material);
      mesh.visible = !(ghost && body.fixed);
      mesh.castShadow = !ghost;
      this.group.add(mesh);
      for (const { a, b, in_a, in_b, ties } of joints) {
        if (!ties && a === i) mesh.add(arm(in_a, reach, material));
        if (!ties && b === i) mesh.add(arm(in_b, reach, material));
      }
    });
    const ground = new THREE.MeshStandardMaterial({ color: dark ? 0xe2e8f0 : 0x334155, roughness: 0.5 });
    for (const { a, b, in_a, in_b, ties } of ghost ? [] : joints) {
      if (ties || (a >= 0 && b >= 0)) continue;
      const mark = new THREE.Mesh(new THREE.SphereGeometry(reach / 55, 18, 12), ground);
      mark.position.fromArray(a < 0 ? in_a : in_b);
      this.marks.add(mark);
    }
  }

  update(poses: BodyPose[]) {
    this.group.children.forEach((mesh, i) => {
      const pose = poses[i];
      if (!pose) return;
      const [w, x, y, z] = pose.orientation;
      mesh.position.fromArray(pose.position);
      mesh.quaternion.set(x, y, z, w);
    });
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

  radiusOf(body: number): number {
    return this.radii[body] ?? 0.1;
  }

  colorOf(body: number): THREE.Color {
    return ((this.group.children[body] as THREE.Mesh | undefined)?.material as THREE.MeshStandardMaterial | undefined)?.color ?? new THREE.Color('#888888');
  }

  // The held body shines.
  setGlow(body: number | null) {
    this.group.children.forEach((part, i) => {
      const { emissive, color } = (part as THREE.Mesh).material as THREE.MeshStandardMaterial;
      emissive.copy(color).multiplyScalar(i === body ? 0.6 : 0);
    });
  }

  private clear() {
    for (const group of [this.group, this.marks]) {
      group.traverse((part) => {
        if (!(part instanceof THREE.Mesh)) return;
        part.geometry.dispose();
        (part.material as THREE.Material).dispose();
      });
      group.clear();
    }
  }
}
