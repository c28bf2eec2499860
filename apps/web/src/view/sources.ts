// What stands somewhere and acts from there: magnets, charges and heavy points.
import * as THREE from 'three';
import type { DrawnSource } from '../engine/protocol';

const north = 0xd64545;
const south = 0x3b6fd4;

function magnet(moment: THREE.Vector3, size: number): THREE.Object3D {
  const group = new THREE.Group();
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), moment.normalize());
  for (const [color, side] of [[north, 1], [south, -1]] as const) {
    const half = new THREE.Mesh(new THREE.CylinderGeometry(0.5 * size, 0.5 * size, 0.4 * size, 28).rotateX(Math.PI / 2), new THREE.MeshStandardMaterial({ color, roughness: 0.5 }));
    half.position.z = 0.2 * side * size;
    group.add(half);
  }
  return group;
}

function ball(color: number, size: number): THREE.Object3D {
  return new THREE.Mesh(new THREE.SphereGeometry(0.5 * size, 24, 16), new THREE.MeshStandardMaterial({ color, roughness: 0.4 }));
}

// As large as the room between them allows.
export function sourceParts(sources: DrawnSource[], reach: number): THREE.Object3D[] {
  const gaps = sources.flatMap((a, i) => sources.slice(0, i).map((b) => Math.hypot(...a.position.map((c, k) => c - b.position[k]!))));
  const size = Math.min(reach / 8, 0.6 * Math.min(Infinity, ...gaps.filter((gap) => gap > 0)));
  return sources.map(({ kind, position, moment, charge }) => {
    const part = kind === 'magnet' ? magnet(new THREE.Vector3(...moment!), size) : ball(kind === 'point-mass' ? 0x8b8f98 : (charge ?? 0) < 0 ? south : north, size);
    part.position.fromArray(position);
    return part;
  });
}

// What is written on them.
export function sourceText({ kind, charge }: DrawnSource): string {
  return kind === 'magnet' ? '' : kind === 'point-mass' ? 'GM' : (charge ?? 0) < 0 ? '−' : '+';
}
