// The policy: a network that reads one sentence and the question, and chooses the sentence's action. Immutable: the
// evaluator runs its own copy of this file with the parameters that a run leaves.
//   input    embeddings of six tokens (subject, verb, item, receiver, asked person, asked item), and the last action
//   hidden   HIDDEN units with ReLU
//   output   logits of four actions

export const SLOTS = 6;
export const CHOICES = 4;
export const EMBEDDING = 10;
export const HIDDEN = 40;
/** The last action of the first sentence. */
export const START = CHOICES;

/** Layout of the parameters for a number of words: offsets, and `size`. */
export function layoutOf(words) {
  const embedding = 0;
  const input = embedding + (words + 1) * EMBEDDING;
  const last = input + SLOTS * EMBEDDING * HIDDEN;
  const bias = last + (CHOICES + 1) * HIDDEN;
  const output = bias + HIDDEN;
  const outputBias = output + CHOICES * HIDDEN;
  return { embedding, input, last, bias, output, outputBias, size: outputBias + CHOICES };
}

let operations = 0;
/** Multiplications that all calls so far have done, in millions. */
export const spentMillions = () => operations / 1e6;

/** Writes the part of the hidden layer that depends on the tokens only into `sum`. */
export function encode(parameters, layout, tokens, sum) {
  for (let j = 0; j < HIDDEN; j++) sum[j] = parameters[layout.bias + j];
  for (let slot = 0; slot < SLOTS; slot++) {
    const from = layout.embedding + tokens[slot] * EMBEDDING;
    for (let d = 0; d < EMBEDDING; d++) {
      const x = parameters[from + d];
      const row = layout.input + (slot * EMBEDDING + d) * HIDDEN;
      for (let j = 0; j < HIDDEN; j++) sum[j] += x * parameters[row + j];
    }
  }
  operations += SLOTS * EMBEDDING * HIDDEN;
}

/** Writes the hidden layer after the last action, and the logits of the next. */
export function decide(parameters, layout, { sum, last, hidden, logits }) {
  const row = layout.last + last * HIDDEN;
  for (let j = 0; j < HIDDEN; j++) hidden[j] = Math.max(0, sum[j] + parameters[row + j]);
  for (let k = 0; k < CHOICES; k++) {
    const weights = layout.output + k * HIDDEN;
    let logit = parameters[layout.outputBias + k];
    for (let j = 0; j < HIDDEN; j++) logit += hidden[j] * parameters[weights + j];
    logits[k] = logit;
  }
  operations += CHOICES * HIDDEN;
}

/** Adds the gradient of one decision to `gradient`, and that of its `sum` to `sumGradient`. */
export function decideBack(parameters, layout, { last, hidden, slope, gradient, sumGradient }) {
  const row = layout.last + last * HIDDEN;
  for (let k = 0; k < CHOICES; k++) gradient[layout.outputBias + k] += slope[k];
  for (let j = 0; j < HIDDEN; j++) {
    if (hidden[j] <= 0) continue;
    let g = 0;
    for (let k = 0; k < CHOICES; k++) {
      gradient[layout.output + k * HIDDEN + j] += slope[k] * hidden[j];
      g += slope[k] * parameters[layout.output + k * HIDDEN + j];
    }
    gradient[row + j] += g;
    sumGradient[j] += g;
  }
  operations += 2 * CHOICES * HIDDEN;
}

/** Adds the gradient of an encoded sentence to `gradient`. */
export function encodeBack(parameters, layout, tokens, { gradient, sumGradient }) {
  for (let j = 0; j < HIDDEN; j++) gradient[layout.bias + j] += sumGradient[j];
  for (let slot = 0; slot < SLOTS; slot++) {
    const from = layout.embedding + tokens[slot] * EMBEDDING;
    for (let d = 0; d < EMBEDDING; d++) {
      const x = parameters[from + d];
      const row = layout.input + (slot * EMBEDDING + d) * HIDDEN;
      let g = 0;
      for (let j = 0; j < HIDDEN; j++) {
        gradient[row + j] += x * sumGradient[j];
        g += parameters[row + j] * sumGradient[j];
      }
      gradient[from + d] += g;
    }
  }
  operations += 2 * SLOTS * EMBEDDING * HIDDEN;
}

/** The probabilities of logits divided by a temperature, into `out`. */
export function softmax(logits, temperature, out) {
  let most = -Infinity;
  for (let k = 0; k < CHOICES; k++) most = Math.max(most, logits[k]);
  let sum = 0;
  for (let k = 0; k < CHOICES; k++) sum += out[k] = Math.exp((logits[k] - most) / temperature);
  for (let k = 0; k < CHOICES; k++) out[k] /= sum;
}

/** The greedy chain for the sentences of a problem: the action with the largest logit each. */
export function greedyChain(parameters, layout, steps) {
  const [sum, hidden, logits] = [HIDDEN, HIDDEN, CHOICES].map((n) => new Float64Array(n));
  const actions = [];
  for (const { tokens } of steps) {
    encode(parameters, layout, tokens, sum);
    decide(parameters, layout, { sum, last: actions.at(-1) ?? START, hidden, logits });
    actions.push(logits.indexOf(Math.max(...logits)));
  }
  return actions;
}
