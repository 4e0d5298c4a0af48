// Makes the base policy: supervised learning of the right chains of a few problems, until it solves a third of others.
// It plays the part of a pretrained model. The problems and their chains never leave this folder.
import { SECRET, WORDS } from './lexicon.mjs';
import * as net from './network.mjs';
import { randomOf } from './random.mjs';
import { problemOf } from './stories.mjs';
import { answerOf, readerOf } from './text.mjs';

const PROBLEMS = 400;
const PROBE = 500;
const TARGET = 1 / 3;
const BATCH = 16;
const RATE = 0.003;
const MOST_STEPS = 4000;

/** Small random parameters, scaled by the number of inputs of a unit. */
function initial(random, layout) {
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const parameters = new Float64Array(layout.size);
  for (let i = 0; i < layout.input; i++) parameters[i] = gauss();
  for (let i = layout.input; i < layout.last; i++) parameters[i] = gauss() / Math.sqrt(net.SLOTS * net.EMBEDDING);
  for (let i = layout.output; i < layout.outputBias; i++) parameters[i] = gauss() / Math.sqrt(net.HIDDEN);
  return parameters;
}

/** Adds the gradient of the negative log-likelihood of a right chain. */
function learn({ parameters, layout, gradient }, { steps, actions }) {
  const [sum, hidden, sumGradient] = [0, 0, 0].map(() => new Float64Array(net.HIDDEN));
  const [logits, slope] = [0, 0].map(() => new Float64Array(net.CHOICES));
  steps.forEach(({ tokens }, i) => {
    const last = actions[i - 1] ?? net.START;
    net.encode(parameters, layout, tokens, sum);
    net.decide(parameters, layout, { sum, last, hidden, logits });
    net.softmax(logits, 1, slope);
    slope[actions[i]] -= 1;
    sumGradient.fill(0);
    net.decideBack(parameters, layout, { last, hidden, slope, gradient, sumGradient });
    net.encodeBack(parameters, layout, tokens, { gradient, sumGradient });
  });
}

/** The share of problems whose greedy chain gives the right answer. */
export function shareSolved(parameters, layout, problems) {
  const chainOf = (steps) => net.greedyChain(parameters, layout, steps);
  return problems.filter(({ steps, answer }) => answerOf(steps, chainOf(steps)) === answer).length / problems.length;
}

/** Draws problems of this installation: {steps, answer, actions, text}. */
export function drawProblems(label, n) {
  const random = randomOf(`${label}/${SECRET}`);
  const stepsOf = readerOf(WORDS);
  return Array.from({ length: n }, () => {
    const problem = problemOf(random);
    return { ...problem, steps: stepsOf(problem.text) };
  });
}

/** Trains the base policy. Throws if it does not reach its share of solved problems. */
export function makeBase() {
  const layout = net.layoutOf(WORDS.length);
  const random = randomOf(`base/${SECRET}`);
  const parameters = initial(random, layout);
  const problems = drawProblems('base-problems', PROBLEMS);
  const probe = drawProblems('base-probe', PROBE);
  const [gradient, first, second] = [0, 0, 0].map(() => new Float64Array(layout.size));
  for (let step = 1; step <= MOST_STEPS; step++) {
    gradient.fill(0);
    for (let b = 0; b < BATCH; b++)
      learn({ parameters, layout, gradient }, problems[Math.floor(random() * problems.length)]);
    for (let i = 0; i < parameters.length; i++) {
      const g = gradient[i] / BATCH;
      first[i] = 0.9 * first[i] + 0.1 * g;
      second[i] = 0.99 * second[i] + 0.01 * g * g;
      parameters[i] -= (RATE * (first[i] / (1 - 0.9 ** step))) / (Math.sqrt(second[i] / (1 - 0.99 ** step)) + 1e-8);
    }
    if (step % 10 === 0 && shareSolved(parameters, layout, probe) >= TARGET) return parameters;
  }
  throw new Error(`the base policy solves ${shareSolved(parameters, layout, probe)} after ${MOST_STEPS} steps`);
}
