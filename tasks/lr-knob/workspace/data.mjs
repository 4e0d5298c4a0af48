// The training points and the initial network, both drawn from a seed.

/** The curve to learn, on [-1, 1]. */
export const truth = (x) => Math.sin(4 * x);

const POINTS = 64;
const HIDDEN = 10;
const NOISE = 0.1;

/** A uniform generator on [0, 1) (mulberry32). */
function uniformOf(seed) {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const normalOf = (uniform) => () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

/**
 * Draws `points`, evenly spread and with noise, and `parameters`: slopes, offsets and weights of the hidden units, then
 * a bias.
 */
export function beginning(seed) {
  const uniform = uniformOf(seed);
  const normal = normalOf(uniform);
  const points = Array.from({ length: POINTS }, (_, i) => {
    const x = -1 + (2 * (i + uniform())) / POINTS;
    return { x, y: truth(x) + NOISE * normal() };
  });
  const parameters = new Float64Array(3 * HIDDEN + 1);
  for (let h = 0; h < HIDDEN; h++) {
    parameters[h] = (h % 2 === 0 ? -1 : 1) * (1.5 + uniform());
    parameters[HIDDEN + h] = -1 + (2 * (h + uniform())) / HIDDEN;
    parameters[2 * HIDDEN + h] = normal() / Math.sqrt(HIDDEN);
  }
  return { points, parameters };
}
