// The only file that may change. It must write model.json: { basis, weights }.
import { writeFileSync } from 'node:fs';
import { trainingPoints } from './data.mjs';

const LEARNING_RATE = 0.02;
const DEGREE = 3;
const WEIGHT_DECAY = 0.001;
const STEPS = 400;
const BASIS = 'power';

function features(x) {
  const row = [1, x];
  for (let k = 2; k <= DEGREE; k++) row.push(BASIS === 'power' ? x ** k : 2 * x * row[k - 1] - row[k - 2]);
  return row.slice(0, DEGREE + 1);
}

const rows = trainingPoints(Number(process.env.PERPETUA_SEED ?? 1)).map(({ x, y }) => ({ row: features(x), y }));
const weights = new Array(DEGREE + 1).fill(0);
for (let step = 1; step <= STEPS; step++) {
  const gradient = weights.map((weight) => WEIGHT_DECAY * weight);
  let loss = 0;
  for (const { row, y } of rows) {
    const error = row.reduce((sum, value, k) => sum + value * weights[k], 0) - y;
    loss += error ** 2 / rows.length;
    row.forEach((value, k) => (gradient[k] += (2 * error * value) / rows.length));
  }
  weights.forEach((weight, k) => (weights[k] = weight - LEARNING_RATE * gradient[k]));
  if (step % 50 === 0) console.log(`step ${step} loss ${loss}`);
}
writeFileSync('model.json', JSON.stringify({ basis: BASIS, weights }));
