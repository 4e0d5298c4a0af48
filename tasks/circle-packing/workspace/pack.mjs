// Packs 26 circles into the unit square and writes circles.json.   node pack.mjs
// Multistart descent: centres and radii move downhill on the negative sum of radii plus a penalty for each overlap.
import { writeFileSync } from 'node:fs';
import { createRandom } from './random.mjs';

// Starts share the steps of a run evenly.
const STARTS = 100;
const LAYOUT = 'random';
const FIRST_RADIUS = 0.05;
// The rate of a step and the weight of the penalty change geometrically during a start.
const FIRST_RATE = 0.003;
const LAST_RATE = 0.003;
const FIRST_PENALTY = 100;
const LAST_PENALTY = 100;
const MOMENTUM = 0.8;

/** Steps of a run. */
const STEPS = 100_000;
const CIRCLES = 26;
const SECOND_MOMENT = 0.99;
/** Distance kept from each limit, larger than the rounding errors of the radii. */
const MARGIN = 1e-15;
const REPORTS = 50;

const random = createRandom(Number(process.env.PERPETUA_SEED ?? 1));
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const clamp = (value) => Math.min(1, Math.max(0, value));
const between = (first, last, share) => first * (last / first) ** share;

// Each circle has three numbers in these vectors: x, y and radius.
const circles = new Float64Array(3 * CIRCLES);
const gradient = new Float64Array(3 * CIRCLES);
const first = new Float64Array(3 * CIRCLES);
const second = new Float64Array(3 * CIRCLES);

/** Draws the circles of a start: anywhere, or near the cells of a grid and the last one anywhere. */
function layOut() {
  for (let i = 0; i < CIRCLES; i++) {
    const onGrid = LAYOUT === 'grid' && i < 25;
    circles[3 * i] = onGrid ? clamp(((i % 5) + 0.5) / 5 + 0.03 * normal()) : random();
    circles[3 * i + 1] = onGrid ? clamp((Math.floor(i / 5) + 0.5) / 5 + 0.03 * normal()) : random();
    circles[3 * i + 2] = FIRST_RADIUS;
  }
}

/** Adds the gradient of the penalty where circle `i` passes the walls of one axis (0: x, 1: y). */
function differentiateWalls(i, axis, penalty) {
  const [at, radius] = [3 * i + axis, 3 * i + 2];
  const low = Math.max(0, circles[radius] - circles[at]);
  const high = Math.max(0, circles[radius] + circles[at] - 1);
  gradient[at] += penalty * (high - low);
  gradient[radius] += penalty * (high + low);
}

/** Adds the gradient of the penalty where the circles `i` and `j` overlap. */
function differentiatePair(i, j, penalty) {
  const [dx, dy] = [circles[3 * i] - circles[3 * j], circles[3 * i + 1] - circles[3 * j + 1]];
  const reach = circles[3 * i + 2] + circles[3 * j + 2];
  const squared = dx * dx + dy * dy;
  if (squared >= reach * reach) return;
  const distance = Math.sqrt(squared) + 1e-12;
  const force = penalty * (reach - distance);
  gradient[3 * i] -= (force * dx) / distance;
  gradient[3 * i + 1] -= (force * dy) / distance;
  gradient[3 * j] += (force * dx) / distance;
  gradient[3 * j + 1] += (force * dy) / distance;
  gradient[3 * i + 2] += force;
  gradient[3 * j + 2] += force;
}

/** Writes the gradient of penalty / 2 times the squares of all overlaps, minus the sum of the radii. */
function differentiate(penalty) {
  for (let i = 0; i < CIRCLES; i++) gradient.fill(0, 3 * i, 3 * i + 2).fill(-1, 3 * i + 2, 3 * i + 3);
  for (let i = 0; i < CIRCLES; i++) {
    differentiateWalls(i, 0, penalty);
    differentiateWalls(i, 1, penalty);
    for (let j = 0; j < i; j++) differentiatePair(i, j, penalty);
  }
}

/** One step of Adam; the numbers stay between 0 and 1. */
function move(step, rate) {
  for (let k = 0; k < circles.length; k++) {
    first[k] = MOMENTUM * first[k] + (1 - MOMENTUM) * gradient[k];
    second[k] = SECOND_MOMENT * second[k] + (1 - SECOND_MOMENT) * gradient[k] ** 2;
    const scale = Math.sqrt(second[k] / (1 - SECOND_MOMENT ** step)) + 1e-9;
    circles[k] = clamp(circles[k] - (rate * first[k]) / (1 - MOMENTUM ** step) / scale);
  }
}

/** The circles as [x, y, radius] without overlap: radii shrink until they fit, then each grows as far as it can. */
function repair() {
  const packing = Array.from({ length: CIRCLES }, (_, i) => Array.from(circles.subarray(3 * i, 3 * i + 3)));
  const wall = ([x, y]) => Math.min(x, y, 1 - x, 1 - y);
  const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  for (const circle of packing) circle[2] = Math.min(circle[2], wall(circle));
  for (const [i, a] of packing.entries()) {
    for (const b of packing.slice(0, i)) {
      const excess = Math.max(0, a[2] + b[2] - distance(a, b));
      const share = a[2] + b[2] > 0 ? a[2] / (a[2] + b[2]) : 0;
      a[2] -= share * excess;
      b[2] -= (1 - share) * excess;
    }
  }
  for (const a of packing) {
    const others = packing.filter((b) => b !== a);
    a[2] = Math.min(wall(a), ...others.map((b) => distance(a, b) - b[2])) - MARGIN;
  }
  return packing;
}

let steps = 0;
let best = { sum: 0, packing: [] };
for (let start = 1; start <= STARTS; start++) {
  layOut();
  first.fill(0);
  second.fill(0);
  const length = Math.floor((start * STEPS) / STARTS) - steps;
  for (let step = 1; step <= length; step++) {
    differentiate(between(FIRST_PENALTY, LAST_PENALTY, step / length));
    move(step, between(FIRST_RATE, LAST_RATE, step / length));
  }
  const packing = repair();
  const sum = packing.reduce((total, [, , radius]) => total + radius, 0);
  if (sum > best.sum && packing.every(([, , radius]) => radius > 0)) best = { sum, packing };
  const isReport = Math.floor((REPORTS * (steps + length)) / STEPS) > Math.floor((REPORTS * steps) / STEPS);
  steps += length;
  if (isReport) console.log(`steps ${steps} sum ${best.sum.toFixed(6)}`);
}
writeFileSync('circles.json', JSON.stringify(best.packing));
