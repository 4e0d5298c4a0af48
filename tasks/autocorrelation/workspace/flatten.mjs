// Finds a step function with a flat autoconvolution and writes heights.json.   node flatten.mjs
// Multistart descent on the logarithm of a soft maximum of the autoconvolution, relative to the square of the integral.
import { writeFileSync } from 'node:fs';
import { createRandom } from './random.mjs';

// Starts share the work of a run evenly.
const STARTS = 10;
// Number of steps of the function.
const PIECES = 50;
// First heights of a start: random, or a random deviation from equal heights.
const LAYOUT = 'random';
// The rate of an update and the power of the soft maximum change geometrically during a start. A higher power is nearer
// to the maximum.
const FIRST_RATE = 0.01;
const LAST_RATE = 0.01;
const FIRST_POWER = 20;
const LAST_POWER = 20;
const MOMENTUM = 0.8;

/** Work of a run. An update takes the square of the number of steps, and its powers 40 times that number. */
const WORK = 300_000_000;
const SECOND_MOMENT = 0.99;
/** Height of the highest step in the result, whose heights are whole numbers. */
const HIGHEST = 1e9;
const REPORTS = 50;

const random = createRandom(Number(process.env.PERPETUA_SEED ?? 1));
const between = (first, last, share) => first * (last / first) ** share;

// The height of a step is the square of its root, so that it is never negative.
const roots = new Float64Array(PIECES);
const heights = new Float64Array(PIECES);
const first = new Float64Array(PIECES);
const second = new Float64Array(PIECES);
const convolution = new Float64Array(2 * PIECES - 1);
const weights = new Float64Array(2 * PIECES - 1);

/** Writes the autoconvolution at the borders of the steps, where it has its maximum. Returns the largest value. */
function convolve() {
  convolution.fill(0);
  for (let i = 0; i < PIECES; i++) for (let j = 0; j < PIECES; j++) convolution[i + j] += heights[i] * heights[j];
  let most = 0;
  for (const value of convolution) most = Math.max(most, value);
  return most;
}

const sumOf = (list) => list.reduce((sum, one) => sum + one, 0);

/** The bound that these heights give. */
const boundOf = (list) => (2 * PIECES * convolve()) / sumOf(list) ** 2;

/** One update by Adam. */
function update(step, rate, power) {
  const most = convolve();
  let total = 0;
  for (let k = 0; k < weights.length; k++) {
    weights[k] = (convolution[k] / most) ** (power - 1);
    total += (weights[k] * convolution[k]) / most;
  }
  const sum = sumOf(heights);
  for (let i = 0; i < PIECES; i++) {
    let slope = 0;
    for (let j = 0; j < PIECES; j++) slope += weights[i + j] * heights[j];
    const gradient = ((2 * slope) / (total * most) - 2 / sum) * 2 * roots[i] * sum;
    first[i] = MOMENTUM * first[i] + (1 - MOMENTUM) * gradient;
    second[i] = SECOND_MOMENT * second[i] + (1 - SECOND_MOMENT) * gradient ** 2;
    const scale = Math.sqrt(second[i] / (1 - SECOND_MOMENT ** step)) + 1e-9;
    roots[i] -= (rate * first[i]) / (1 - MOMENTUM ** step) / scale;
  }
  for (let i = 0; i < PIECES; i++) heights[i] = roots[i] ** 2;
}

const updates = Math.floor(WORK / (PIECES ** 2 + 40 * PIECES));
let done = 0;
let best = { bound: Infinity, heights: [] };

/** Keeps the present heights as whole numbers if they are the best so far. */
function record() {
  const highest = Math.max(...heights);
  const bound = boundOf(heights);
  if (!(bound < best.bound)) return;
  best = { bound, heights: Array.from(heights, (one) => Math.round((one / highest) * HIGHEST)) };
}

for (let start = 1; start <= STARTS; start++) {
  first.fill(0);
  second.fill(0);
  for (let i = 0; i < PIECES; i++) {
    roots[i] = LAYOUT === 'random' ? random() : 1 + 0.1 * (random() - 0.5);
    heights[i] = roots[i] ** 2;
  }
  const length = Math.floor((start * updates) / STARTS) - done;
  for (let step = 1; step <= length; step++) {
    const share = step / length;
    update(step, between(FIRST_RATE, LAST_RATE, share), between(FIRST_POWER, LAST_POWER, share));
    done++;
    const percent = Math.floor((REPORTS * done) / updates);
    if (percent > Math.floor((REPORTS * (done - 1)) / updates)) {
      record();
      console.log(`percent ${(100 / REPORTS) * percent} bound ${best.bound.toFixed(6)}`);
    }
  }
  record();
}
writeFileSync('heights.json', JSON.stringify(best.heights));
