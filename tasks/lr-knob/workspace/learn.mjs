// Full-batch gradient descent on one hidden layer of tanh units.
import { beginning } from './data.mjs';

export const STEPS = 40;
/** Multiple of the first loss above which training has diverged. */
const DIVERGED = 10;

/** Adds the gradient of the mean squared error to `gradient`. Returns the error. */
function addGradient(points, parameters, gradient) {
  const units = (parameters.length - 1) / 3;
  const hidden = new Float64Array(units);
  let loss = 0;
  for (const { x, y } of points) {
    let error = parameters[3 * units] - y;
    for (let h = 0; h < units; h++) {
      hidden[h] = Math.tanh(parameters[h] * x + parameters[units + h]);
      error += parameters[2 * units + h] * hidden[h];
    }
    loss += error ** 2 / points.length;
    const slope = (2 * error) / points.length;
    gradient[3 * units] += slope;
    for (let h = 0; h < units; h++) {
      gradient[2 * units + h] += slope * hidden[h];
      const inner = slope * parameters[2 * units + h] * (1 - hidden[h] ** 2);
      gradient[h] += inner * x;
      gradient[units + h] += inner;
    }
  }
  return loss;
}

/** Trains and returns the parameters, null if the loss diverged, with the number of steps made. */
export function learn({ seed, lr, momentum = 0 }) {
  const { points, parameters } = beginning(seed);
  const gradient = new Float64Array(parameters.length);
  const move = new Float64Array(parameters.length);
  let first = Infinity;
  for (let step = 0; step < STEPS; step++) {
    gradient.fill(0);
    const loss = addGradient(points, parameters, gradient);
    if (step === 0) first = loss;
    if (!(loss <= DIVERGED * first)) return { parameters: null, steps: step };
    for (let i = 0; i < parameters.length; i++) {
      move[i] = momentum * move[i] + gradient[i];
      parameters[i] -= lr * move[i];
    }
  }
  return { parameters, steps: STEPS };
}
