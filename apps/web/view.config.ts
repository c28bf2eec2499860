// The lab's view alone, as one script: catena-view.js beside the page, for motions that Python shows.
import { defineConfig } from 'vite';
import { aliases, pageFolder } from './paths.ts';

export default defineConfig({
  publicDir: false,
  resolve: { alias: aliases },
  build: {
    outDir: `${pageFolder}/page`,
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'src/view/player.ts', formats: ['iife'], name: 'catenaView', fileName: () => 'catena-view.js' },
  },
});
