// A double pendulum for ten seconds: how well its energy is kept, and the same bits from a checkpoint.
import { load } from '@catena/lab';

const scene = `
[simulation]
duration = 10
[[chain.links]]
length = 1
mass = 1
theta = "120 deg"
[[chain.links]]
length = 1
mass = 1
theta = "45 deg"`;

const lab = await load(scene);
lab.advanceTo(5);
const middle = lab.checkpoint();
lab.advanceTo(10);
const end = lab.row();
console.log(`t = ${lab.time} s, x_2 = ${lab.value('x_2')} m, energy error ${lab.value('energy_error')} J`);

lab.restore(middle);
lab.advanceTo(10);
console.log(`from the checkpoint: ${lab.row().every((value, i) => Object.is(value, end[i])) ? 'the same bits' : 'another motion'}`);
