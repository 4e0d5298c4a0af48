// What a trained network is worth.
const HIDDEN = 10;
const truth = (x) => Math.sin(4 * x);
const GRID = Array.from({ length: 201 }, (_, i) => -1 + i / 100);

/** Error that lr 0.01 leaves, the mean over the seeds 1 to 400. */
export const REFERENCE = 0.35615;

/** Why these are no parameters of the network; undefined where they are. */
export function problemOf(parameters) {
  const wanted = 3 * HIDDEN + 1;
  if (Array.isArray(parameters) && parameters.length === wanted && parameters.every((one) => Number.isFinite(one)))
    return undefined;
  return `expected an array of ${wanted} finite numbers in network.json`;
}

/** Mean squared distance from the curve without noise. */
export function errorOf(parameters) {
  const square = (x) => {
    let y = parameters[3 * HIDDEN];
    for (let h = 0; h < HIDDEN; h++)
      y += parameters[2 * HIDDEN + h] * Math.tanh(parameters[h] * x + parameters[HIDDEN + h]);
    return (y - truth(x)) ** 2;
  };
  return GRID.reduce((sum, x) => sum + square(x), 0) / GRID.length;
}

/** The share of the reference's error that is gone: 1 at best, -1 at least. */
export const improvementOf = (parameters) => Math.max(-1, 1 - errorOf(parameters) / REFERENCE);
