// Run by apps/web's Vite (apps/npm/build.mjs): the two faces of the package, with the page's own engine sources.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');

export default {
  root: here,
  configFile: false,
  publicDir: false,
  resolve: { alias: { 'catena-engine': process.env.CATENA_WASM ?? path.join(root, 'build/wasm/apps/web/engine') } },
  worker: { format: 'iife' },
  build: {
    outDir: process.env.CATENA_NPM ?? path.join(root, 'build/npm/dist'),
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    lib: { entry: { index: path.join(here, 'src/index.ts'), client: path.join(here, 'src/client.ts') }, formats: ['es'] },
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' } },
  },
};
