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

// How the axes of space lie on the screen, and a length to compare with.
export function axesAndScale(camera: THREE.Camera, pixelsPerUnit: number, place: { x: number; y: number }, dark: boolean, exact: boolean): { labels: Label[]; strokes: Stroke[] } {
  const labels: Label[] = [];
  const strokes: Stroke[] = [];
  const back = camera.getWorldQuaternion(new THREE.Quaternion()).invert();
  const origin = { x: place.x + 26, y: place.y - 22 };
  ['x', 'y', 'z'].forEach((name, i) => {
    const axis = new THREE.Vector3().setComponent(i, 1).applyQuaternion(back);
    const [dx, dy] = [24 * axis.x, -24 * axis.y];
    if (Math.hypot(dx, dy) < 3) return; // points at the eye
    const color = axisColors[dark ? 'dark' : 'light'][i]!;
    strokes.push({ from: [origin.x, origin.y], to: [origin.x + dx, origin.y + dy], color });
    labels.push({ text: name, x: origin.x + dx * 1.35, y: origin.y + dy * 1.35, color, align: 'center' });
  });
  const length = roundLength(pixelsPerUnit, 110);
  const pixels = length * pixelsPerUnit;
  const { ink } = inks(dark);
  const [left, y] = [place.x + 70, place.y - 4];
  strokes.push({ from: [left, y], to: [left + pixels, y], color: ink });
  for (const x of [left, left + pixels]) strokes.push({ from: [x, y - 4], to: [x, y + 4], color: ink });
  labels.push({ text: `${exact ? '' : '≈ '}${lengthText(length)}`, x: left + pixels / 2, y: y - 12, color: ink, align: 'center' });
  return { labels, strokes };
}

type OnScreen = (place: THREE.Vector3) => { x: number; y: number } | null;

export interface Named {
  text: string;
  place: THREE.Vector3;
  color: string;
  lift: number; // pixels beside the place
}

// Names that would lie on one another give way downwards.
export function nameLabels(things: Named[], onScreen: OnScreen): Label[] {
  const out: Label[] = [];
  for (const { text, place, color, lift } of things) {
    const at = onScreen(place.clone());
    if (!at) continue;
    const label = { text, x: at.x + lift, y: at.y - lift, color };
    const covers = (other: Label) => Math.abs(other.y - label.y) < 14 && label.x < other.x + 8 * other.text.length && other.x < label.x + 8 * text.length;
    for (let tries = 0; tries < 4 && out.some(covers); tries++) label.y += 15;
    out.push(label);
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
