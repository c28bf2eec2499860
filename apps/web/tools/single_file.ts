// Writes lab.html: the built page with script, style and wasm inside, which works from a file, without a server.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { policy } from '../policy.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function singleFile(folder: string, output: string) {
  const read = (name: string) => readFileSync(path.join(folder, name));
  const style = read('index.css').toString();
  // Inside a script element nothing may look like its end.
  const script = read('lab.js').toString().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
  const packed = (name: string, id: string) => `<script type="text/plain" id="${id}">${gzipSync(read(name), { level: 9 }).toString('base64')}</script>`;
  const html = read('index.html')
    .toString()
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, () => `<meta http-equiv="Content-Security-Policy" content="${policy({ script: hashOf(script), style: hashOf(style), connect: "'none'" })}">`)
    .replace(/<link rel="preload"[^>]*>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replace('</body>', () => `${packed('catena.wasm', 'catena-wasm')}\n${packed('catena-chaos.wasm', 'catena-chaos-wasm')}\n<script type="module">${script}</script>\n</body>`);
  writeFileSync(output, html);
}
