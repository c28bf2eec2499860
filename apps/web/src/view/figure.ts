// The chains as things to look at: links, bobs and pivots, each kind one instanced mesh.
import * as THREE from 'three';
import type { ChainInfo, DrawnChain } from '../engine/protocol';
import { fewLinks, linkColor, strainColor } from './palette';
import { ropePieces, ropePoints } from './ropes';
import { coilGeometry } from './solids';

const up = new THREE.Vector3(0, 1, 0);

interface Look {
  dark: boolean;
  ghost: boolean;
  tint?: string | null; // of a ghost that is told apart from others
}

export class Figure {
  readonly group = new THREE.Group();
  private links!: THREE.InstancedMesh;
  private bobs!: THREE.InstancedMesh;
  private ropes!: THREE.InstancedMesh; // links that pull and do not push, each of several pieces
  private ropeOf: number[] = []; // of each link; -1: it is none
  private lengths: number[] = [];
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
  private readonly bow = Array.from({ length: ropePieces + 1 }, () => new THREE.Vector3());

  // `drawn`: which links are rods with their mass along them, and which are ropes.
  build(chains: ChainInfo[], reach: number, { dark, ghost, tint }: Look, drawn: DrawnChain[] = []) {
    this.dispose();
    const count = chains.reduce((sum, chain) => sum + chain.length.length, 0);
    const lengths = (this.lengths = chains.flatMap((chain) => chain.length));
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
    let ropes = 0;
    this.ropeOf = chains.flatMap((chain, c) => chain.length.map(() => (drawn[c]?.slack ? ropes++ : -1)));
    this.coils = chains.some((chain, c) => chain.elastic && !drawn[c]?.slack) && count <= 40;
    const solid = (color: number) =>
      new THREE.MeshStandardMaterial({ color, roughness: 0.45, metalness: 0.1, transparent: ghost, opacity: ghost ? (tint ? 0.6 : 0.3) : 1, depthWrite: !ghost });
    const rod = () => new THREE.CylinderGeometry(1, 1, 1, 10, 1).translate(0, 0.5, 0);
    this.links = new THREE.InstancedMesh(this.coils ? coilGeometry(9, mean / (0.1 * this.unit)) : rod(), solid(0xffffff), count);
    this.ropes = new THREE.InstancedMesh(rod(), solid(0xffffff), ropes * ropePieces);
    this.bobs = new THREE.InstancedMesh(new THREE.SphereGeometry(1, count > 60 ? 12 : 28, count > 60 ? 8 : 20), solid(0xffffff), count);
    for (const mesh of [this.links, this.bobs, this.ropes]) {
      mesh.visible = mesh.count > 0;
      mesh.frustumCulled = false;
      mesh.castShadow = !ghost;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.group.add(mesh);
    }
    const pale = new THREE.Color(tint ?? (dark ? '#c9d4e6' : '#64748b'));
    const neutral = new THREE.Color(dark ? '#b7c0cc' : '#8a94a2');
    for (let k = 0; k < count; k++) {
      this.bobs.setColorAt(k, ghost ? pale : this.color.set(this.colors[k]!));
      this.colorLink(k, ghost ? pale : rods[k] ? this.color : neutral);
    }
  }

  colorOf(link: number): string {
    return this.colors[link] ?? '#888888';
  }

  radiusOf(link: number): number {
    return this.radii[link] ?? 0.1;
  }

  private colorLink(k: number, color: THREE.Color) {
    const rope = this.ropeOf[k]!;
    if (rope < 0) this.links.setColorAt(k, color);
    else for (let i = 0; i < ropePieces; i++) this.ropes.setColorAt(rope * ropePieces + i, color);
  }

  // A cylinder or coil from `from` to `to`.
  private span(mesh: THREE.InstancedMesh, at: number, from: THREE.Vector3, to: THREE.Vector3, width: number) {
    this.along.subVectors(to, from);
    const length = Math.max(1e-9, this.along.length());
    this.turn.setFromUnitVectors(up, this.along.divideScalar(length));
    mesh.setMatrixAt(at, this.matrix.compose(from, this.turn, this.size.set(width, length, width)));
  }

  private spanRope(rope: number, k: number) {
    const width = this.unit * 0.04;
    ropePoints(this.from, this.to, this.lengths[k]!, this.bow);
    for (let i = 0; i < ropePieces; i++) this.span(this.ropes, rope * ropePieces + i, this.bow[i]!, this.bow[i + 1]!, width);
    this.links.setMatrixAt(k, this.matrix.makeScale(0, 0, 0));
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
      const rope = this.ropeOf[k]!;
      const strain = strains ? (rope < 0 ? strains[k]! : Math.max(0, strains[k]!)) : 0;
      // A stretched spring gets thinner, as rubber does: its volume stays.
      if (rope < 0) this.span(this.links, k, this.from, this.to, (thickness * this.thick[k]!) / Math.sqrt(Math.max(0.2, 1 + strain)));
      else this.spanRope(rope, k);
      this.bobs.setMatrixAt(k, this.matrix.compose(this.to, this.turn.identity(), this.size.setScalar(this.radii[k]!)));
      if (strains) this.colorLink(k, this.color.setRGB(...strainColor(strain, dark), THREE.SRGBColorSpace));
    }
    for (const mesh of [this.links, this.bobs, this.ropes]) mesh.instanceMatrix.needsUpdate = true;
    if (strains) for (const mesh of [this.links, this.ropes]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
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
