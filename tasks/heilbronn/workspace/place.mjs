// Places 11 points in a triangle and writes points.json.   node place.mjs
// A multistart hill climb: one point moves at a time, on a soft minimum of the areas of all 165 triangles.
import { writeFileSync } from 'node:fs';
import { createRandom } from './random.mjs';

// Starts share the moves of a run evenly.
const STARTS = 100;
// Length of a move, power of the soft minimum, and loss of its logarithm that a move may cause: each changes
// geometrically during a start. A higher power is nearer to the smallest area.
const FIRST_STEP = 0.1;
const LAST_STEP = 0.1;
const FIRST_POWER = 2;
const LAST_POWER = 2;
const FIRST_LOSS = 0.0001;
const LAST_LOSS = 0.0001;
// Share of the points that begin on an edge.
const EDGE = 0;

/** Moves of a run. */
const MOVES = 250_000;
const POINTS = 11;
const REPORTS = 50;

const random = createRandom(Number(process.env.PERPETUA_SEED ?? 1));
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const between = (first, last, share) => first * (last / first) ** share;

/** The nearest point of the triangle u ≥ 0, v ≥ 0, u + v ≤ 1. A point outside ends on an edge. */
function inside(u, v) {
  const excess = u + v - 1;
  if (excess > 0) [u, v] = [u - excess / 2, v - excess / 2];
  u = Math.min(1, Math.max(0, u));
  // The double 1 - u may be larger than the exact difference, by 2^-54 at most. The judge would refuse the point.
  return [u, Math.max(0, Math.min(v, 1 - u - 2 ** -53))];
}

const drawPoint = () => {
  const [u, v] = [random(), random()];
  const point = u + v > 1 ? [1 - u, 1 - v] : [u, v];
  if (random() >= EDGE) return point;
  return [[0, v], [u, 0], [u, 1 - u]][Math.floor(3 * random())];
};

const us = new Float64Array(POINTS);
const vs = new Float64Array(POINTS);

/** Area of a triangle of three points, as a share of the whole. */
const areaOf = (u, v, j, k) => Math.abs((us[j] - u) * (vs[k] - v) - (us[k] - u) * (vs[j] - v));

/** Sum of area^-power over all triangles with the point `i` at (u, v). */
function crowding(i, u, v, power) {
  let sum = 0;
  for (let j = 1; j < POINTS; j++) {
    if (j === i) continue;
    for (let k = 0; k < j; k++) if (k !== i) sum += (areaOf(u, v, j, k) + 1e-12) ** -power;
  }
  return sum;
}

/** The smallest area of all triangles. */
function smallest() {
  let least = Infinity;
  for (let i = 2; i < POINTS; i++)
    for (let j = 1; j < i; j++) for (let k = 0; k < j; k++) least = Math.min(least, areaOf(us[i], vs[i], j, k));
  return least;
}

let moves = 0;
let best = { area: -1, points: [] };

function record() {
  const area = smallest();
  if (area > best.area) best = { area, points: Array.from(us, (u, i) => [u, vs[i]]) };
}

/** One start of `length` moves. */
function climb(length) {
  for (let i = 0; i < POINTS; i++) [us[i], vs[i]] = drawPoint();
  for (let step = 0; step < length; step++) {
    const share = step / length;
    const [scale, power] = [between(FIRST_STEP, LAST_STEP, share), between(FIRST_POWER, LAST_POWER, share)];
    const i = Math.floor(random() * POINTS);
    const [u, v] = inside(us[i] + scale * normal(), vs[i] + scale * normal());
    const gain = (Math.log(crowding(i, us[i], vs[i], power)) - Math.log(crowding(i, u, v, power))) / power;
    if (gain > between(FIRST_LOSS, LAST_LOSS, share) * Math.log(1 - random())) [us[i], vs[i]] = [u, v];
    moves++;
    if (moves % (MOVES / REPORTS) === 0) {
      record();
      console.log(`moves ${moves} area ${best.area.toFixed(6)}`);
    }
  }
  record();
}

for (let start = 1; start <= STARTS; start++) climb(Math.floor((start * MOVES) / STARTS) - moves);
writeFileSync('points.json', JSON.stringify(best.points));
