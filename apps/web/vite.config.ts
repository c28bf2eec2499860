import { defineConfig, type Plugin } from 'vite';
import { aliases, pageFolder } from './paths.ts';
import { policy } from './policy.ts';
import { singleFile } from './tools/single_file.ts';

const served = policy({ script: "'self'", style: "'self'", connect: "'self'" });

// The policy stands in the page itself, so that it holds on any host; the development server needs a looser one.
const withPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: served }, injectTo: 'head-prepend' }],
};

// The engine is fetched beside the script that asks for it.
const engineAtOnce: Plugin = {
  name: 'preload',
  apply: 'build',
  transformIndexHtml: () => [{ tag: 'link', attrs: { rel: 'preload', href: './catena.wasm', as: 'fetch', crossorigin: 'anonymous' }, injectTo: 'head' }],
};

const inOneFile: Plugin = {
  name: 'lab.html',
  apply: 'build',
  closeBundle: () => singleFile(`${pageFolder}/page`, `${pageFolder}/lab.html`),
};

export default defineConfig({
  base: './',
  plugins: [withPolicy, engineAtOnce, inOneFile],
  resolve: { alias: aliases },
  // A classic worker: browsers start no module worker from a blob where the page itself comes from a file.
  worker: { format: 'iife' },
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
