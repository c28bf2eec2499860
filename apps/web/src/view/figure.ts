// The chains as things to look at: links, bobs and pivots, each kind one instanced mesh.
import * as THREE from 'three';
import type { ChainInfo, DrawnChain } from '../engine/protocol';
import { fewLinks, linkColor, strainColor } from './palette';
import { coilGeometry } from './solids';

const up = new THREE.Vector3(0, 1, 0);

interface Look {
  dark: boolean;
  ghost: boolean;
}

export class Figure {
  readonly group = new THREE.Group();
  private links!: THREE.InstancedMesh;
  private bobs!: THREE.InstancedMesh;
  private radii: number[] = [];
  private parents: number[] = []; // index of the upper link in all links; -1 - chain: its pivot
  private colors: string[] = [];
  private thick: number[] = []; // of each link over that of a thread
  private unit = 1; // a length to draw by: the mean link
  private coils = false;
  private readonly matrix = new THREE.Matrix4();
  private readonly turn = new THREE.Quaternion();
  private readonly from = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly size = new THREE.Vector3();
  private readonly along = new THREE.Vector3();
  private readonly color = new THREE.Color();

  // `drawn`: which links are rods with their mass along them.
  build(chains: ChainInfo[], reach: number, { dark, ghost }: Look, drawn: DrawnChain[] = []) {
    this.dispose();
    const count = chains.reduce((sum, chain) => sum + chain.length.length, 0);
    const lengths = chains.flatMap((chain) => chain.length);
    const masses = chains.flatMap((chain) => chain.mass);
    const mean = lengths.reduce((a, b) => a + b, 0) / Math.max(1, count);
    // Long chains would be hair, and a single link a club.
    this.unit = Math.min(reach / 3, Math.max(mean, reach / 14));
    const heaviest = Math.max(...masses, 1e-300);
    this.radii = masses.map((mass) => this.unit * 0.13 * Math.max(0.45, Math.cbrt(mass / heaviest)) * (count > 60 ? 0.45 : 1));
    const rods = chains.flatMap((chain, c) => chain.length.map((_, k) => (drawn[c]?.links[k]?.center_of_mass ?? 1) < 1));
    this.radii = this.radii.map((radius, k) => (rods[k] ? 0.5 * radius : radius));
    this.thick = rods.map((rod) => (rod ? 2.6 : 1));
    this.parents = [];
    this.colors = [];
    let first = 0;
    chains.forEach((chain, c) => {
      chain.parent.forEach((parent, k) => {
        this.parents.push(parent < 0 ? -1 - c : first + parent);
        this.colors.push(count <= fewLinks ? linkColor(first + k, count, dark) : linkColor(k, chain.length.length, dark));
      });
      first += chain.length.length;
    });
    this.coils = chains.some((chain) => chain.elastic) && count <= 40;
    const solid = (color: number) =>
      new THREE.MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.1, transparent: ghost, opacity: ghost ? 0.3 : 1, depthWrite: !ghost });
    const line = this.coils ? coilGeometry(9, mean / (0.1 * this.unit)) : new THREE.CylinderGeometry(1, 1, 1, 10, 1).translate(0, 0.5, 0);
    this.links = new THREE.InstancedMesh(line, solid(0xffffff), count);
    this.bobs = new THREE.InstancedMesh(new THREE.SphereGeometry(1, count > 60 ? 12 : 28, count > 60 ? 8 : 20), solid(0xffffff), count);
    for (const mesh of [this.links, this.bobs]) {
      mesh.frustumCulled = false;
      mesh.castShadow = !ghost;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.group.add(mesh);
    }
    const pale = new THREE.Color(dark ? '#c9d4e6' : '#64748b');
    const neutral = new THREE.Color(dark ? '#b7c0cc' : '#8a94a2');
    for (let k = 0; k < count; k++) {
      this.bobs.setColorAt(k, ghost ? pale : this.color.set(this.colors[k]!));
      this.links.setColorAt(k, ghost ? pale : rods[k] ? this.color : neutral);
    }
  }

  colorOf(link: number): string {
    return this.colors[link] ?? '#888888';
  }

  radiusOf(link: number): number {
    return this.radii[link] ?? 0.1;
  }

  // `places`: x y z of all ends; `strains`: of all links, or none.
  update(places: Float32Array, strains: Float32Array | null, pivots: [number, number, number][], dark: boolean) {
    const count = this.parents.length;
    const thickness = this.unit * (this.coils ? 0.1 : 0.028);
    for (let k = 0; k < count; k++) {
      const parent = this.parents[k]!;
      if (parent < 0) this.from.fromArray(pivots[-1 - parent]!);
      else this.from.fromArray(places, 3 * parent);
      this.to.fromArray(places, 3 * k);
      this.along.subVectors(this.to, this.from);
      const length = Math.max(1e-9, this.along.length());
      this.turn.setFromUnitVectors(up, this.along.divideScalar(length));
      // A stretched spring gets thinner, as rubber does: its volume stays.
      const thin = strains ? 1 / Math.sqrt(Math.max(0.2, 1 + strains[k]!)) : 1;
      const width = thickness * thin * this.thick[k]!;
      this.size.set(width, length, width);
      this.links.setMatrixAt(k, this.matrix.compose(this.from, this.turn, this.size));
      this.bobs.setMatrixAt(k, this.matrix.compose(this.to, this.turn.identity(), this.size.setScalar(this.radii[k]!)));
      if (strains) this.links.setColorAt(k, this.color.setRGB(...strainColor(strains[k]!, dark), THREE.SRGBColorSpace));
    }
    this.links.instanceMatrix.needsUpdate = this.bobs.instanceMatrix.needsUpdate = true;
    if (strains && this.links.instanceColor) this.links.instanceColor.needsUpdate = true;
  }

  dispose() {
    for (const mesh of [...this.group.children] as THREE.InstancedMesh[]) {
      this.group.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
  }
}
