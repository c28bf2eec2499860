// Where bobs have been: ribbons of constant width on the screen that fade with age.
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

const mostPoints = 480;

export class Trails {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.ShaderMaterial>;
  seconds = 4;
  private geometry = new THREE.InstancedBufferGeometry();
  private readonly material: THREE.ShaderMaterial;
  private points: Float32Array[] = []; // per bob: t x y z, oldest first
  private counts: number[] = [];
  private colors: THREE.Color[] = [];
  private starts!: THREE.InstancedBufferAttribute;
  private ends!: THREE.InstancedBufferAttribute;
  private ages!: THREE.InstancedBufferAttribute;
  private tints!: THREE.InstancedBufferAttribute;

  constructor() {
    this.material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      uniforms: { resolution: { value: new THREE.Vector2(1, 1) }, width: { value: 3 }, strength: { value: 0.9 } },
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.setBobs([]);
  }

  setBobs(colors: string[]) {
    this.colors = colors.map((color) => new THREE.Color(color));
    if (this.points.length !== colors.length || colors.length === 0) {
      this.points = colors.map(() => new Float32Array(4 * mostPoints));
      this.counts = colors.map(() => 0);
      const segments = Math.max(1, colors.length * mostPoints);
      const attribute = (size: number) =>
        new THREE.InstancedBufferAttribute(new Float32Array(size * segments), size).setUsage(THREE.DynamicDrawUsage);
      this.starts = attribute(3);
      this.ends = attribute(3);
      this.ages = attribute(2);
      this.tints = attribute(3);
      // A new geometry: three.js remembers how many instances the first one had room for.
      this.geometry.dispose();
      this.geometry = this.mesh.geometry = new THREE.InstancedBufferGeometry();
      this.geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0], 3));
      this.geometry.setIndex([0, 2, 1, 1, 2, 3]);
      this.geometry.setAttribute('start', this.starts);
      this.geometry.setAttribute('end', this.ends);
      this.geometry.setAttribute('ages', this.ages);
      this.geometry.setAttribute('tint', this.tints);
    }
    this.geometry.instanceCount = 0;
  }

  setSize(width: number, height: number, pixels: number) {
    this.material.uniforms.resolution!.value.set(width, height);
    this.material.uniforms.width!.value = 3 * pixels;
  }

  clear() {
    this.counts.fill(0);
  }

  // Points that are remembered of the first bob.
  get length(): number {
    return this.counts[0] ?? 0;
  }

  forgetAfter(t: number) {
    this.points.forEach((points, bob) => {
      let count = this.counts[bob]!;
      while (count && points[4 * (count - 1)]! > t) count--;
      this.counts[bob] = count;
    });
  }

  add(bob: number, t: number, x: number, y: number, z: number) {
    const points = this.points[bob]!;
    let count = this.counts[bob]!;
    // As many points per second as there is room for.
    if (count && t - points[4 * (count - 1)]! < this.seconds / (mostPoints - 20)) return;
    if (count === mostPoints) {
      const keep = mostPoints - 16;
      points.copyWithin(0, 4 * (count - keep), 4 * count);
      count = keep;
    }
    points.set([t, x, y, z], 4 * count);
    this.counts[bob] = count + 1;
  }

  update(now: number) {
    let segments = 0;
    const [starts, ends, ages, tints] = [this.starts, this.ends, this.ages, this.tints].map((a) => a.array as Float32Array) as [Float32Array, Float32Array, Float32Array, Float32Array];
    this.points.forEach((points, bob) => {
      const { r, g, b } = this.colors[bob]!;
      for (let i = 1; i < this.counts[bob]!; i++) {
        const age = (now - points[4 * i]!) / this.seconds;
        if (age >= 1 || age < 0) continue; // forgotten, or computed ahead of what is shown
        const before = Math.min(1, (now - points[4 * i - 4]!) / this.seconds);
        starts.set(points.subarray(4 * i - 3, 4 * i), 3 * segments);
        ends.set(points.subarray(4 * i + 1, 4 * i + 4), 3 * segments);
        ages.set([before, age], 2 * segments);
        tints.set([r, g, b], 3 * segments);
        segments++;
      }
    });
    this.geometry.instanceCount = segments;
    for (const attribute of [this.starts, this.ends, this.ages, this.tints]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, attribute.itemSize * segments);
      attribute.needsUpdate = segments > 0;
    }
  }
}
