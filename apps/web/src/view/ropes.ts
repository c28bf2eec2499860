// Links that pull and do not push, as ropes look: straight while they are taut, and hanging in a bow while they are slack.
import * as THREE from 'three';

export const ropePieces = 10; // straight ones, of each rope
const down = new THREE.Vector3(0, 0, -1);
const aside = new THREE.Vector3(1, 0, 0);

// How deep a parabola of this length hangs between ends so far apart. Its length, with a = 4 sag/span, is
// span/2 (sqrt(1 + a^2) + asinh(a)/a).
export function sagOf(length: number, span: number): number {
  if (!(length > span)) return 0;
  const tooLong = (sag: number) => {
    const a = (4 * sag) / Math.max(span, 1e-9 * length);
    return (span / 2) * (Math.sqrt(1 + a * a) + Math.asinh(a) / a) > length;
  };
  let [low, high] = [0, length / 2];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (tooLong(middle)) high = middle;
    else low = middle;
  }
  return low;
}

// Points along a rope, both ends included, into `out`.
export function ropePoints(from: THREE.Vector3, to: THREE.Vector3, length: number, out: THREE.Vector3[]) {
  const along = to.clone().sub(from);
  const span = along.length();
  const sag = sagOf(length, span);
  const across = (way: THREE.Vector3) => way.clone().addScaledVector(along, -way.dot(along) / (span * span || 1));
  const bow = across(down);
  if (bow.length() < 0.05) bow.copy(across(aside)); // one that stands upright
  bow.normalize();
  out.forEach((point, i) => {
    const part = i / (out.length - 1);
    point.copy(from).addScaledVector(along, part).addScaledVector(bow, 4 * sag * part * (1 - part));
  });
}
