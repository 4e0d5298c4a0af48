// Spreads 16 points in the plane and writes points.json.   node spread.mjs
// A multistart hill climb: one point moves at a time, on soft versions of the largest and the smallest distance.
import { writeFileSync } from 'node:fs';
import { createRandom } from './random.mjs';

// Starts share the moves of a run evenly.
const STARTS = 100;
// Length of a move, power of the soft extremes, and rise of the logarithm that a move may cause: each changes
// geometrically during a start. A higher power is nearer to the largest and the smallest distance.
const FIRST_STEP = 0.1;
const LAST_STEP = 0.1;
const FIRST_POWER = 4;
const LAST_POWER = 4;
const FIRST_RISE = 0.0001;
const LAST_RISE = 0.0001;
// First arrangement of a start: in a square, or in a disc.
const LAYOUT = 'square';

/** Moves of a run. */
const MOVES = 600_000;
const POINTS = 16;
const REPORTS = 50;

const random = createRandom(Number(process.env.PERPETUA_SEED ?? 1));
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const between = (first, last, share) => first * (last / first) ** share;

function drawPoint() {
  const [x, y] = [2 * random() - 1, 2 * random() - 1];
  return LAYOUT === 'square' || Math.hypot(x, y) <= 1 ? [x, y] : drawPoint();
}

const xs = new Float64Array(POINTS);
const ys = new Float64Array(POINTS);
const squareOf = (i, j) => (xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2;

/** Sums of the squared distances of point `i` to the power p and to the power -p. */
const spread = { far: 0, near: 0 };
function measure(i, power) {
  spread.far = 0;
  spread.near = 0;
  for (let j = 0; j < POINTS; j++) {
    if (j === i) continue;
    const high = (squareOf(i, j) + 1e-12) ** power;
    spread.far += high;
    spread.near += 1 / high;
  }
}

function ratio() {
  let [least, most] = [Infinity, 0];
  for (let i = 1; i < POINTS; i++) {
    for (let j = 0; j < i; j++) {
      least = Math.min(least, squareOf(i, j));
      most = Math.max(most, squareOf(i, j));
    }
  }
  return most / least;
}

let moves = 0;
let best = { ratio: Infinity, points: [] };

function record() {
  const found = ratio();
  if (found < best.ratio) best = { ratio: found, points: Array.from(xs, (x, i) => [x, ys[i]]) };
}

/** One start of `length` moves. */
function climb(length) {
  for (let i = 0; i < POINTS; i++) [xs[i], ys[i]] = drawPoint();
  // The sums over all pairs are counted anew now and then, since the power changes.
  let [far, near, power] = [0, 0, 0];
  for (let step = 0; step < length; step++) {
    const share = step / length;
    if (step % 100 === 0) {
      power = between(FIRST_POWER, LAST_POWER, share);
      [far, near] = [0, 0];
      for (let i = 0; i < POINTS; i++) {
        measure(i, power);
        far += spread.far / 2;
        near += spread.near / 2;
      }
    }
    const scale = between(FIRST_STEP, LAST_STEP, share);
    const i = Math.floor(random() * POINTS);
    const [x, y] = [xs[i], ys[i]];
    measure(i, power);
    const { far: oldFar, near: oldNear } = spread;
    xs[i] += scale * normal();
    ys[i] += scale * normal();
    measure(i, power);
    const [newFar, newNear] = [far + spread.far - oldFar, near + spread.near - oldNear];
    const rise = Math.log((newFar / far) * (newNear / near)) / power;
    if (rise < -between(FIRST_RISE, LAST_RISE, share) * Math.log(1 - random())) [far, near] = [newFar, newNear];
    else [xs[i], ys[i]] = [x, y];
    moves++;
    if (moves % (MOVES / REPORTS) === 0) {
      record();
      console.log(`moves ${moves} ratio ${best.ratio.toFixed(6)}`);
    }
  }
  record();
}

for (let start = 1; start <= STARTS; start++) climb(Math.floor((start * MOVES) / STARTS) - moves);
writeFileSync('points.json', JSON.stringify(best.points));
