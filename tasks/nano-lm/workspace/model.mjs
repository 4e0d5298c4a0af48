// The model: the last CONTEXT characters, each as a learned vector, through one hidden layer to a softmax.
// answer.mjs needs from this file: load(bytes) → { stream() → { see(symbol), probabilities() } }.
import { SYMBOLS } from './data.mjs';

const CONTEXT = 5;
const EMBEDDING = 7;
const HIDDEN = 36;
const ACTIVATION = 'tanh';
const INIT_SCALE = 0.4;

const INPUT = CONTEXT * EMBEDDING;

/** Offset of each tensor in the flat array of parameters. */
const AT = {
  embedding: 0,
  hidden: SYMBOLS * EMBEDDING,
  hiddenBias: SYMBOLS * EMBEDDING + HIDDEN * INPUT,
  output: SYMBOLS * EMBEDDING + HIDDEN * INPUT + HIDDEN,
  outputBias: SYMBOLS * EMBEDDING + HIDDEN * INPUT + HIDDEN + SYMBOLS * HIDDEN,
};
const SIZE = AT.outputBias + SYMBOLS;

/** A fresh set of parameters, uniform around zero; matrices scaled by their number of inputs. */
export function initialise(random) {
  const parameters = new Float64Array(SIZE);
  const fill = (start, end, spread) => {
    for (let i = start; i < end; i++) parameters[i] = (2 * random() - 1) * spread;
  };
  fill(AT.embedding, AT.hidden, INIT_SCALE);
  fill(AT.hidden, AT.hiddenBias, INIT_SCALE * Math.sqrt(3 / INPUT));
  fill(AT.output, AT.outputBias, INIT_SCALE * Math.sqrt(3 / HIDDEN));
  return parameters;
}

/** The network over one array of parameters. */
export function createNetwork(parameters) {
  const input = new Float64Array(INPUT);
  const hidden = new Float64Array(HIDDEN);
  const output = new Float64Array(SYMBOLS);
  const hiddenError = new Float64Array(HIDDEN);
  const inputError = new Float64Array(INPUT);
  const relu = ACTIVATION === 'relu';

  /** Probabilities of the symbol at `position`, from the CONTEXT symbols before it. The array is reused. */
  function predict(text, position) {
    for (let c = 0; c < CONTEXT; c++) {
      const from = AT.embedding + text[position - 1 - c] * EMBEDDING;
      for (let e = 0; e < EMBEDDING; e++) input[c * EMBEDDING + e] = parameters[from + e];
    }
    for (let h = 0; h < HIDDEN; h++) {
      let sum = parameters[AT.hiddenBias + h];
      const row = AT.hidden + h * INPUT;
      for (let i = 0; i < INPUT; i++) sum += parameters[row + i] * input[i];
      hidden[h] = relu ? Math.max(0, sum) : Math.tanh(sum);
    }
    let top = -Infinity;
    for (let s = 0; s < SYMBOLS; s++) {
      let sum = parameters[AT.outputBias + s];
      const row = AT.output + s * HIDDEN;
      for (let h = 0; h < HIDDEN; h++) sum += parameters[row + h] * hidden[h];
      output[s] = sum;
      if (sum > top) top = sum;
    }
    let total = 0;
    for (let s = 0; s < SYMBOLS; s++) total += output[s] = Math.exp(output[s] - top);
    for (let s = 0; s < SYMBOLS; s++) output[s] /= total;
    return output;
  }

  /** Adds the gradient of the loss at `position` to `gradient`. Returns the loss in bits. */
  function learn(text, position, gradient) {
    predict(text, position);
    const loss = -Math.log2(output[text[position]]);
    output[text[position]] -= 1;
    hiddenError.fill(0);
    inputError.fill(0);
    for (let s = 0; s < SYMBOLS; s++) {
      const error = output[s];
      const row = AT.output + s * HIDDEN;
      gradient[AT.outputBias + s] += error;
      for (let h = 0; h < HIDDEN; h++) {
        gradient[row + h] += error * hidden[h];
        hiddenError[h] += error * parameters[row + h];
      }
    }
    for (let h = 0; h < HIDDEN; h++) {
      const slope = relu ? Number(hidden[h] > 0) : 1 - hidden[h] * hidden[h];
      const error = hiddenError[h] * slope;
      if (error === 0) continue;
      const row = AT.hidden + h * INPUT;
      gradient[AT.hiddenBias + h] += error;
      for (let i = 0; i < INPUT; i++) {
        gradient[row + i] += error * input[i];
        inputError[i] += error * parameters[row + i];
      }
    }
    for (let c = 0; c < CONTEXT; c++) {
      const from = AT.embedding + text[position - 1 - c] * EMBEDDING;
      for (let e = 0; e < EMBEDDING; e++) gradient[from + e] += inputError[c * EMBEDDING + e];
    }
    return loss;
  }

  return { predict, learn };
}

/** Number of earlier symbols that a prediction uses. */
export const lookBack = CONTEXT;

/** The trained parameters as bytes. */
export const save = (parameters) => new Uint8Array(parameters.buffer);

/** A model from the bytes of {@link save}. Each stream is one text, revealed symbol by symbol. */
export function load(bytes) {
  if (bytes.length !== SIZE * 8) throw new Error(`expected ${SIZE * 8} bytes of parameters, got ${bytes.length}`);
  const network = createNetwork(new Float64Array(Uint8Array.from(bytes).buffer));
  return {
    stream() {
      const last = new Uint8Array(CONTEXT);
      return {
        see(symbol) {
          last.copyWithin(0, 1);
          last[CONTEXT - 1] = symbol;
        },
        probabilities: () => network.predict(last, CONTEXT),
      };
    },
  };
}
