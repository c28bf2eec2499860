// Where the parts of the page come from and go to. CATENA_WASM and CATENA_PAGE name other folders.
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../..');
export const engineFolder = process.env.CATENA_WASM ?? path.join(root, 'build/wasm/apps/web/engine');
export const pageFolder = process.env.CATENA_PAGE ?? path.join(root, 'build/web');
export const aliases = { 'catena-engine': engineFolder };
