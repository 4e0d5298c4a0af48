// The value of a trained network.
const HIDDEN = 10;
const truth = (x) => Math.sin(4 * x);
const GRID = Array.from({ length: 201 }, (_, i) => -1 + i / 100);

/** Error after training with lr 0.01, the mean over the seeds 1 to 400. */
export const REFERENCE = 0.35615;

/** Reason why the value is no list of network parameters, in words; undefined if it is one. */
export function problemOf(parameters) {
  const wanted = 3 * HIDDEN + 1;
  if (Array.isArray(parameters) && parameters.length === wanted && parameters.every((one) => Number.isFinite(one)))
    return undefined;
  return `expected an array of ${wanted} finite numbers in network.json`;
}

/** Mean squared distance from the curve without noise, over the grid. */
export function errorOf(parameters) {
  const square = (x) => {
    let y = parameters[3 * HIDDEN];
    for (let h = 0; h < HIDDEN; h++)
      y += parameters[2 * HIDDEN + h] * Math.tanh(parameters[h] * x + parameters[HIDDEN + h]);
    return (y - truth(x)) ** 2;
  };
  return GRID.reduce((sum, x) => sum + square(x), 0) / GRID.length;
}

/** Share of the reference error that training removed: 1 at best, -1 at least. */
export const improvementOf = (parameters) => Math.max(-1, 1 - errorOf(parameters) / REFERENCE);
