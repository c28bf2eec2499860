// The page's tools of chaos (catena-chaos.wasm) in Node: what they find is what the native program finds.
//
// usage: node chaos.mjs CATENA_PROGRAM ENGINE_FOLDER      exit status 1: they differ; 77: one is not there
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const [catena, folder] = process.argv.slice(2);
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const script = path.join(folder, 'catena-chaos.js');
if (!existsSync(script)) {
  console.log(`nothing to compare: ${script} is not built`);
  process.exit(77);
}
const sceneText = (name) => readFileSync(path.join(root, 'scenes', `${name}.toml`), 'utf8');
const native = (...words) => JSON.parse(execFileSync(catena, ['analyze', ...words, '--json', '-q'], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 }));

const wasm = readFileSync(path.join(folder, 'catena-chaos.wasm'));
const { default: create } = await import(`data:text/javascript;base64,${readFileSync(script).toString('base64')}`);
const module = await create({
  instantiateWasm(imports, done) {
    WebAssembly.instantiate(new WebAssembly.Module(wasm), imports).then((instance) => done(instance));
    return {};
  },
});
const rows = () => {
  const start = module._catena_rows() / 8;
  return Array.from(module.HEAPF64.subarray(start, start + module._catena_row_values()));
};
function call(request) {
  const text = JSON.stringify(request);
  const bytes = module.lengthBytesUTF8(text) + 1;
  const pointer = module._malloc(bytes);
  module.stringToUTF8(text, pointer, bytes);
  const answer = JSON.parse(module.UTF8ToString(module._catena_call(pointer)));
  module._free(pointer);
  return answer;
}
function near(found, wanted, tolerance, what) {
  assert.equal(found.length, wanted.length, `${what}: ${found.length} and ${wanted.length}`);
  found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) <= tolerance || (Number.isNaN(value) && wanted[i] === null), `${what}: ${value} and ${wanted[i]}`));
}

// Roundoff grows like exp(0.9 t): after 20 s it is still below 1e-6.
call({ do: 'spectrum', text: sceneText('lorenz') });
call({ do: 'grow', to: 10 });
const grown = call({ do: 'grow', to: 20 });
const spectrum = native('lyapunov', 'lorenz', '--duration', '20');
near(grown.exponents, spectrum.exponents, 1e-6, 'exponents');
near(grown.errors, spectrum.errors, 1e-6, 'errors');
assert.equal(rows().length % grown.width, 0);

const chaotic = sceneText('henon-heiles');
const section = call({ do: 'section', text: chaotic, when: 'x', axes: ['y', 'py'] });
const clicked = call({ do: 'section_start', at: [0.1, 0.05] });
const [x, y, px, py] = clicked.state;
near([x, y, py, (px * px + py * py + y * y) / 2 - y ** 3 / 3], [0, 0.1, 0.05, section.energy], 1e-12, 'a start');
const own = call({ do: 'section_start' });
call({ do: 'section_follow', start: own.start, to: 60 });
const points = rows();
const passed = native('section', 'henon-heiles', '--when', 'x', '--axes', 'y,py', '--duration', '60');
near(points.filter((_, i) => i % 3 === 0 && points[i] <= 60), passed.times, 1e-8, 'times');
near(points.slice(0, 3 * passed.times.length).filter((_, i) => i % 3 === 1), passed.points.map(([a]) => a), 1e-8, 'points');

call({ do: 'indicators', text: sceneText('double-pendulum'), only: ['megno'], duration: 20 });
const [watched] = call({ do: 'indicators_follow', to: 20 }).motions;
const megno = native('indicators', 'double-pendulum', '--only', 'megno', '--duration', '20').megno;
near([watched.indicators.megno.value], [megno.value], 1e-5, 'megno');
assert.equal(watched.indicators.megno.verdict, megno.verdict);

const plan = `[sweep]
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "100 deg"
to = "170 deg"
count = 9
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "100 deg"
to = "170 deg"
count = 9
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
stop = true
`;
const map = call({ do: 'map', text: sceneText('double-pendulum'), sweep: plan });
assert.deepEqual(map.shape, [9, 9]);
assert.equal(map.not_in_lanes, '');
const begin = process.cpuUsage().user;
const tile = call({ do: 'tile', first: [0, 0], count: [5, 5], apart: [2, 2] });
const perCase = (process.cpuUsage().user - begin) / 1000 / tile.cases;
const flips = rows().filter((_, i) => i % 2 === 0);
assert.equal(tile.cases, 25);
const place = mkdtempSync(path.join(os.tmpdir(), 'catena-chaos-'));
writeFileSync(path.join(place, 'plan.toml'), `${plan}\n${sceneText('double-pendulum')}`);
execFileSync(catena, ['sweep', path.join(place, 'plan.toml'), '-o', path.join(place, 'map.csv'), '-q'], { stdio: 'ignore' });
const table = readFileSync(path.join(place, 'map.csv'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
rmSync(place, { recursive: true });
const at = table[0].split(',').indexOf('flip');
const wanted = table.slice(1).map((line) => Number(line.split(',')[at] || NaN)).filter((_, i) => Math.floor(i / 9) % 2 === 0 && (i % 9) % 2 === 0);
near(flips, wanted.map((value) => (Number.isNaN(value) ? null : value)), 1e-6, 'flips');
assert.ok(flips.some((value) => value > 0 && value < 10));

call({ do: 'bifurcation', text: sceneText('driven-pendulum'), along: 'forces.1.parameters.drive', from: 1.06, to: 1.08, count: 2, period: 3 * Math.PI, record: 'theta_dot_1', duration: 300 });
const columns = [0, 1].map((index) => (call({ do: 'column', index }), rows()));
const diagram = native('bifurcation', 'driven-pendulum', '--along', 'forces.1.parameters.drive', '--from', '1.06', '--to', '1.08', '--count', '2', '--period', '3*pi', '--record', 'theta_dot_1', '--duration', '300', '--up');
columns.forEach((values, i) => near(values, diagram.values[i], 1e-6, `column ${i}`));

assert.match(call({ do: 'dance' }).mistakes[0], /no command/);
assert.match(call({ do: 'spectrum', text: '[chain' }).mistakes[0], /scene/);
const packed = gzipSync(wasm, { level: 9 }).length;
assert.ok(packed <= 2.6e6, `${packed} bytes`);
console.log(`wasm: tools of chaos ${(packed / 1e6).toFixed(2)} MB gzipped, ${perCase.toFixed(2)} ms a case of a flip map of 10 s`);
