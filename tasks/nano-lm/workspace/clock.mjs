// The clock of a run: seconds of a reference core. Immutable.
//
// A CPU second does more on a fast core, and up to twice as much while the other thread of the core is idle. So the
// clock weighs CPU seconds by the speed of the core: every hundredth of a second it times a fixed piece of training (a
// small layer forward and back, then one step of Adam), which takes about three hundredths of all time.

const SIZE = 40;
const ROUNDS = 32;
/** CPU seconds that the reference core takes for one piece. */
const PIECE_SECONDS = 0.00028;
const EVERY_SECONDS = 0.01;
/** Pieces until the compiler has optimised the code. */
const WARM_UP = 40;
/**
 * Pieces whose median gives the speed. A single one may be timed while the core is taken away, or be charged for less
 * than it took.
 */
const PIECES = 5;

const weights = new Float64Array(SIZE * SIZE * 1.5).map((_, i) => 0.3 * Math.sin(i));
const gradient = new Float64Array(weights.length);
const first = new Float64Array(weights.length);
const second = new Float64Array(weights.length);
const input = new Float64Array(SIZE).fill(0.5);
const output = new Float64Array(SIZE);
const error = new Float64Array(SIZE);

function piece() {
  for (let round = 0; round < ROUNDS; round++) {
    for (let o = 0; o < SIZE; o++) {
      let sum = 0;
      for (let i = 0; i < SIZE; i++) sum += weights[o * SIZE + i] * input[i];
      output[o] = Math.tanh(sum);
    }
    error.fill(0);
    for (let o = 0; o < SIZE; o++) {
      const wrong = output[o] - 0.5;
      for (let i = 0; i < SIZE; i++) {
        gradient[o * SIZE + i] += wrong * input[i];
        error[i] += wrong * weights[o * SIZE + i];
      }
    }
    for (let i = 0; i < SIZE; i++) input[i] = 0.5 + 0.01 * error[i];
  }
  for (let i = 0; i < weights.length; i++) {
    const g = gradient[i];
    gradient[i] = 0;
    first[i] = 0.9 * first[i] + 0.1 * g;
    second[i] = 0.99 * second[i] + 0.01 * g * g;
    weights[i] -= (1e-6 * first[i]) / (Math.sqrt(second[i]) + 1e-8);
  }
}

/** CPU seconds of this process so far. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Runs pieces until the CPU clock moves on from `from`. Returns their number and the new time. */
function piecesToTick(from) {
  let pieces = 0;
  let at = from;
  while (at === from) {
    piece();
    pieces += 1;
    at = cpuSeconds();
  }
  return { pieces, at };
}

const middleOf = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

for (let i = 0; i < WARM_UP; i++) piece();
const { at: began } = piecesToTick(cpuSeconds());
const ticks = [];
let at = began;
/** True if the system counts CPU time in ticks longer than a piece, so that no single piece can be timed. */
const isCoarse = () => middleOf(ticks.map(({ pieces }) => pieces)) > 1;
while (ticks.length < PIECES || (isCoarse() && at - began < EVERY_SECONDS)) {
  const tick = piecesToTick(at);
  ticks.push({ pieces: tick.pieces, seconds: tick.at - at });
  at = tick.at;
}
const COARSE = isCoarse();
/** CPU seconds that the last pieces took, oldest first. */
const took = ticks.map(({ pieces, seconds }) => seconds / pieces);

/** Reference seconds in a CPU second. If the CPU clock is coarse, the speed at the start is used throughout. */
let speed = COARSE
  ? (ticks.reduce((sum, { pieces }) => sum + pieces, 0) * PIECE_SECONDS) / (at - began)
  : PIECE_SECONDS / middleOf(took);
let measuredAt = cpuSeconds();
let spent = measuredAt * speed;

/** Measures the present speed. */
function measureSpeed() {
  const before = cpuSeconds();
  piece();
  took.push(cpuSeconds() - before);
  took.splice(0, took.length - PIECES);
  const middle = middleOf(took);
  return middle > 0 ? PIECE_SECONDS / middle : speed;
}

/** Seconds that this process has computed so far, its start included, in seconds of the reference core. */
export function referenceSeconds() {
  const now = cpuSeconds();
  if (now - measuredAt < EVERY_SECONDS) return spent + (now - measuredAt) * speed;
  const speedNow = COARSE ? speed : measureSpeed();
  spent += ((now - measuredAt) * (speed + speedNow)) / 2;
  speed = speedNow;
  measuredAt = cpuSeconds();
  return spent;
}
