// Builds the npm package into build/npm: `node apps/npm/build.mjs`, with what apps/web has installed.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import config from './vite.config.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');
const tools = path.join(root, 'apps/web/node_modules');
const target = path.join(root, 'build/npm');

mkdirSync(target, { recursive: true });
const { build } = await import(pathToFileURL(path.join(tools, 'vite/dist/node/index.js')).href);
await build(config);
cpSync(path.join(config.resolve.alias['catena-engine'], 'catena.wasm'), path.join(target, 'dist/catena.wasm'));
execFileSync(process.execPath, [path.join(tools, 'typescript/bin/tsc'), '-p', path.join(here, 'tsconfig.json')], { stdio: 'inherit' });
for (const name of ['package.json', 'README.md', 'examples']) cpSync(path.join(here, name), path.join(target, name), { recursive: true });
cpSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
for (const name of ['index.js', 'client.js', 'catena.wasm']) console.log(`dist/${name}: ${statSync(path.join(target, 'dist', name)).size} bytes`);
