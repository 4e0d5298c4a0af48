// Trains once with the knobs and writes network.json.   node train.mjs
import { writeFileSync } from 'node:fs';
import { lr, momentum } from './knobs.mjs';
import { learn } from './learn.mjs';

const { parameters, steps } = learn({ seed: Number(process.env.PERPETUA_SEED ?? 1), lr, momentum });
if (parameters === null) {
  console.error(`diverged after ${steps} steps: the loss grew without bound; a smaller lr may hold it`);
  process.exit(1);
}
writeFileSync('network.json', JSON.stringify(Array.from(parameters)));
