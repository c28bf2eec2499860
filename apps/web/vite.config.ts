import { defineConfig } from 'vite';
import { aliases, pageFolder } from './paths.ts';

export default defineConfig({
  base: './',
  resolve: { alias: aliases },
  worker: { format: 'es' },
  server: { fs: { allow: ['../..'] } },
  build: {
    outDir: `${pageFolder}/page`,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    modulePreload: false,
    rolldownOptions: { output: { entryFileNames: 'lab.js', assetFileNames: '[name][extname]' } },
  },
});
