// Scores artefacts/model.json on points without noise. It reads only data from a run, never code.
import { readFileSync, writeSync } from 'node:fs';

// Exit code 3 means that the candidate is at fault, not the evaluator; stderr has the reason.
function refuse(why) {
  writeSync(2, `${why}\n`);
  process.exit(3);
}
function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch (error) {
    return refuse(`expected JSON in model.json: ${error.message}`);
  }
}

const { basis, weights } = read(readFileSync('artefacts/model.json', 'utf8'));
const sound =
  (basis === 'power' || basis === 'chebyshev') &&
  Array.isArray(weights) &&
  weights.length >= 1 &&
  weights.length <= 64 &&
  weights.every((weight) => Number.isFinite(weight));
if (!sound) refuse('expected { basis: power or chebyshev, weights: 1 to 64 finite numbers } in model.json');

const truth = (x) => Math.sin(3 * x) + 0.4 * Math.cos(7 * x);
const terms = (x) => {
  const row = [1, x];
  for (let k = 2; k < weights.length; k++) row.push(basis === 'power' ? x ** k : 2 * x * row[k - 1] - row[k - 2]);
  return row;
};
const grid = Array.from({ length: 201 }, (_, i) => -1 + i / 100);
const squares = grid.map((x) => (weights.reduce((sum, weight, k) => sum + weight * terms(x)[k], 0) - truth(x)) ** 2);
const error = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / grid.length);
if (!Number.isFinite(error)) refuse('expected weights whose curve stays finite between -1 and 1');
writeSync(Number(process.env.PERPETUA_RESULT_FD ?? 3), `${JSON.stringify({ error })}\n`);
