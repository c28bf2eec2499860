// What is written over the picture: names, values, signs, a scale and the axes.
import * as THREE from 'three';
import type { Drawing } from '../engine/protocol';
import { arrowColor, type Arrow } from './arrows';
import { lengthText, roundLength, type Label, type Stroke } from './labels';
import { sourceText } from './sources';

export interface Inks {
  ink: string;
  faint: string;
  halo: string;
}

export const inks = (dark: boolean): Inks => (dark ? { ink: '#e8edf7', faint: '#a3b0c9', halo: 'rgb(11 16 32 / 75%)' } : { ink: '#16202f', faint: '#51607a', halo: 'rgb(255 255 255 / 80%)' });

const axisColors = { dark: ['#ff8f80', '#7ee2a8', '#8db8ff'], light: ['#b3261e', '#0a7a3d', '#1d4ed8'] };

const [inset, arm] = [10, 18]; // px: around axes and scale, and how long an axis is

// What axes and scale take of the picture's lower left, in pixels: of its width where they stand above one another, of its
// height where they stand side by side.
export interface Corner {
  width: number;
  height: number;
}

export function cornerOf(width: number, size: number): Corner {
  return { width: 2 * inset + Math.min(110, width / 5), height: size * (arm + 20) };
}

// How the axes of space lie on the screen, and a length to compare with, above and right of `place`. Where the axes have `names`
// of their own, numbers lie along them, not metres.
export function axesAndScale(camera: THREE.Camera, pixelsPerUnit: number, place: { x: number; y: number; width: number; stacked: boolean }, size: number, dark: boolean, exact: boolean, names: readonly string[] | undefined): { labels: Label[]; strokes: Stroke[] } {
  const labels: Label[] = [];
  const strokes: Stroke[] = [];
  const back = camera.getWorldQuaternion(new THREE.Quaternion()).invert();
  const origin = { x: place.x + inset + 8 * size, y: place.y - (place.stacked ? 40 : 8) * size };
  (names ?? ['x', 'y', 'z']).forEach((name, i) => {
    const axis = new THREE.Vector3().setComponent(i, 1).applyQuaternion(back);
    const [dx, dy] = [arm * size * axis.x, -arm * size * axis.y];
    if (Math.hypot(dx, dy) < 3 || !name) return; // points at the eye
    const color = axisColors[dark ? 'dark' : 'light'][i]!;
    strokes.push({ from: [origin.x, origin.y], to: [origin.x + dx, origin.y + dy], color });
    const half = size * (4 + 3.6 * name.length); // of its letters: long names keep clear of the edge
    const label: Label = { text: name, x: Math.max(place.x + half, origin.x + dx * 1.4), y: origin.y + dy * 1.4, color, align: 'center' };
    const covers = (other: Label) => Math.abs(other.y - label.y) < 13 * size && Math.abs(other.x - label.x) < half + size * (4 + 3.6 * other.text.length);
    while (labels.some(covers)) label.y -= 3 * size; // long names give way upwards
    labels.push(label);
  });
  const left = place.x + inset + (place.stacked ? 0 : size * (2 * arm + 14));
  const length = roundLength(pixelsPerUnit, place.width - 2 * inset);
  const pixels = length * pixelsPerUnit;
  const { ink } = inks(dark);
  const y = place.y - 6 * size;
  strokes.push({ from: [left, y], to: [left + pixels, y], color: ink });
  for (const x of [left, left + pixels]) strokes.push({ from: [x, y - 4], to: [x, y + 4], color: ink });
  labels.push({ text: `${exact ? '' : '≈ '}${names ? Number(length.toPrecision(3)) : lengthText(length)}`, x: left - 4, y: y - 12 * size, color: ink });
  return { labels, strokes };
}

type OnScreen = (place: THREE.Vector3) => { x: number; y: number } | null;

export interface Named {
  text: string;
  place: THREE.Vector3;
  color: string;
  lift: number; // pixels beside the place
}

// Names that would lie on one another give way downwards; those that find no place near by, above `bottom`, are left out.
export function nameLabels(things: Named[], onScreen: OnScreen, size: number, bottom: number): Label[] {
  const out: Label[] = [];
  for (const { text, place, color, lift } of things) {
    const at = onScreen(place.clone());
    if (!at) continue;
    const label = { text, x: at.x + lift, y: at.y - lift, color };
    const right = ({ x, text: own }: Label) => x + size * (8 + 7.5 * own.length);
    const covers = (other: Label) => Math.abs(other.y - label.y) < 14 * size && label.x < right(other) && other.x < right(label);
    for (let tries = 0; tries < 4 && out.some(covers); tries++) label.y += 15 * size;
    if (!out.some(covers) && label.y < bottom - 8 * size) out.push(label);
  }
  return out;
}

export function valueLabels(ends: readonly { place: [number, number, number]; arrow: Arrow }[], onScreen: OnScreen, dark: boolean): Label[] {
  return ends.flatMap(({ place, arrow }) => {
    const at = arrow.text && onScreen(new THREE.Vector3(...place));
    return at ? [{ text: arrow.text!, x: at.x + 4, y: at.y - 8, color: arrowColor(arrow.kind, dark) }] : [];
  });
}

// Signs of charges, on what carries them.
export function chargeLabels(drawing: Drawing, placeOf: (thing: number) => THREE.Vector3, onScreen: OnScreen, dark: boolean): Label[] {
  const charges = [...drawing.chains.flatMap(({ links }) => links.map(({ charge }) => charge ?? 0)), ...drawing.bodies.map(({ charge }) => charge ?? 0)];
  const { ink } = inks(dark);
  const own = charges.flatMap((charge, thing) => (charge === 0 || thing > 60 ? [] : [{ text: charge > 0 ? '+' : '−', place: placeOf(thing) }]));
  const fixed = (drawing.sources ?? []).map((source) => ({ text: sourceText(source), place: new THREE.Vector3(...source.position) }));
  return [...own, ...fixed.filter(({ text }) => text)].flatMap(({ text, place }) => {
    const at = onScreen(place);
    return at ? [{ text, x: at.x, y: at.y, color: ink, align: 'center' as const }] : [];
  });
}
