// Rigid bodies as solids: the shapes of scenes, with their extents along their own axes.
import * as THREE from 'three';
import type { BodyInfo } from '../engine/protocol';
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

export class Bodies {
  readonly group = new THREE.Group();

  build(bodies: BodyInfo[], reach: number, dark: boolean) {
    this.clear();
    bodies.forEach((body, i) => {
      const color = body.fixed ? (dark ? '#94a3b8' : '#64748b') : linkColor(i, bodies.length, dark);
      const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.05 });
      const mesh = new THREE.Mesh(solidOf(body, reach / 60), material);
      mesh.castShadow = true;
      this.group.add(mesh);
    });
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
    for (const mesh of [...this.group.children] as THREE.Mesh[]) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
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
