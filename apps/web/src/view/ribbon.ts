// Lines of constant width on the screen, made of pieces that may fade.
import * as THREE from 'three';

const vertexShader = `
  attribute vec3 start;
  attribute vec3 end;
  attribute vec2 ages;
  attribute vec3 tint;
  uniform vec2 resolution;
  uniform float width;
  varying float vAge;
  varying vec3 vTint;
  varying float vSide;
  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(start, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(end, 1.0);
    vec2 along = (b.xy / b.w - a.xy / a.w) * resolution;
    float size = length(along);
    along = size > 1e-4 ? along / size : vec2(1.0, 0.0);
    vec4 p = position.x < 0.5 ? a : b;
    vAge = position.x < 0.5 ? ages.x : ages.y;
    float half_width = 0.5 * width * (1.0 - 0.6 * vAge);
    p.xy += vec2(-along.y, along.x) * position.y * 2.0 * half_width / resolution * p.w;
    vTint = tint;
    vSide = position.y;
    gl_Position = p;
  }`;
const fragmentShader = `
  varying float vAge;
  varying vec3 vTint;
  varying float vSide;
  uniform float strength;
  void main() {
    float edge = 1.0 - smoothstep(0.6, 1.0, abs(vSide));
    gl_FragColor = vec4(vTint, strength * edge * pow(1.0 - vAge, 1.5));
    #include <colorspace_fragment>
  }`;

export class Ribbon {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.ShaderMaterial>;
  private readonly material: THREE.ShaderMaterial;
  private geometry = new THREE.InstancedBufferGeometry();
  private attributes: THREE.InstancedBufferAttribute[] = []; // start, end, ages, tint
  private room = 0;
  private count = 0;

  constructor(private readonly width: number) {
    this.material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      uniforms: { resolution: { value: new THREE.Vector2(1, 1) }, width: { value: width }, strength: { value: 0.9 } },
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.setRoom(1);
  }

  // For so many pieces.
  setRoom(pieces: number) {
    this.count = 0;
    if (pieces <= this.room && pieces * 4 > this.room) {
      this.geometry.instanceCount = 0;
      return;
    }
    this.room = pieces;
    this.attributes = [3, 3, 2, 3].map((size) => new THREE.InstancedBufferAttribute(new Float32Array(size * pieces), size).setUsage(THREE.DynamicDrawUsage));
    // A new geometry: three.js remembers how many instances the first one had room for.
    this.geometry.dispose();
    this.geometry = this.mesh.geometry = new THREE.InstancedBufferGeometry();
    this.geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0], 3));
    this.geometry.setIndex([0, 2, 1, 1, 2, 3]);
    ['start', 'end', 'ages', 'tint'].forEach((name, i) => this.geometry.setAttribute(name, this.attributes[i]!));
    this.geometry.instanceCount = 0;
  }

  setSize(width: number, height: number, pixels: number) {
    this.material.uniforms.resolution!.value.set(width, height);
    this.material.uniforms.width!.value = this.width * pixels;
  }

  begin() {
    this.count = 0;
  }

  // A piece from one x y z to another; ages go from 0 to 1.
  add(start: ArrayLike<number>, end: ArrayLike<number>, startAge: number, endAge: number, { r, g, b }: THREE.Color) {
    if (this.count === this.room) return;
    const [starts, ends, ages, tints] = this.attributes.map(({ array }) => array as Float32Array) as [Float32Array, Float32Array, Float32Array, Float32Array];
    starts.set(start, 3 * this.count);
    ends.set(end, 3 * this.count);
    ages.set([startAge, endAge], 2 * this.count);
    tints.set([r, g, b], 3 * this.count);
    this.count++;
  }

  end() {
    this.geometry.instanceCount = this.count;
    for (const attribute of this.attributes) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, attribute.itemSize * this.count);
      attribute.needsUpdate = this.count > 0;
    }
  }
}
