// Rigid bodies as solids: the shapes of scenes, with their extents along their own axes.
import * as THREE from 'three';
import type { BodyInfo, JointInfo } from '../engine/protocol';
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

export interface BodyPose {
  position: [number, number, number];
  orientation: [number, number, number, number]; // w x y z
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

  build(bodies: BodyInfo[], joints: JointInfo[], reach: number, dark: boolean) {
    this.clear();
    bodies.forEach((body, i) => {
      const color = body.fixed ? (dark ? '#94a3b8' : '#64748b') : linkColor(i, bodies.length, dark);
      const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.05 });
      const mesh = new THREE.Mesh(solidOf(body, reach / 60), material);
      mesh.castShadow = true;
      this.group.add(mesh);
      for (const { a, b, in_a, in_b, ties } of joints) {
        if (!ties && a === i) mesh.add(arm(in_a, reach, material));
        if (!ties && b === i) mesh.add(arm(in_b, reach, material));
      }
    });
    const ground = new THREE.MeshStandardMaterial({ color: dark ? 0xe2e8f0 : 0x334155, roughness: 0.5 });
    for (const { a, b, in_a, in_b, ties } of joints) {
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

// How far bodies reach from their middle at the start.
export function extentOf(bodies: BodyInfo[]): { center: THREE.Vector3; reach: number } {
  const center = new THREE.Vector3();
  for (const { position } of bodies) center.add(new THREE.Vector3(...position).divideScalar(bodies.length));
  const reach = Math.max(0, ...bodies.map(({ position, size }) => center.distanceTo(new THREE.Vector3(...position)) + Math.hypot(...size) / 2));
  return { center, reach };
}
