import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Engine } from '../src/engine/engine';
import type { Stem } from '../src/engine/protocol';
import { engineFolder, root } from '../paths.ts';

export const startEngine = () => Engine.start(new WebAssembly.Module(readFileSync(path.join(engineFolder, 'catena.wasm'))));
export const shippedScene = (name: string) => readFileSync(path.join(root, 'scenes', `${name}.toml`), 'utf8');

// The page's own source files.
export const sources = () =>
  readdirSync(path.join(root, 'apps/web/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(path.join(root, 'apps/web/src', name), 'utf8'));

export const catena = process.env.CATENA_BINARY ?? path.join(root, 'build/release/catena');

// Index of a column in a row.
export function column(stems: Stem[], name: string): number {
  let at = 0;
  for (const { name: stem, labels } of stems) {
    for (const label of labels.length ? labels : ['']) {
      if ((label ? `${stem}_${label}` : stem) === name) return at;
      at += 1;
    }
  }
  throw new Error(`no column ${name}`);
}
