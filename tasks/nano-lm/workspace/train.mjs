// Trains the model for BUDGET_SECONDS of a reference core and writes model.bin.   node train.mjs
import { writeFileSync } from 'node:fs';
import { referenceSeconds } from './clock.mjs';
import { BUDGET_SECONDS, createRandom, readCorpus, SEED } from './data.mjs';
import { createNetwork, initialise, lookBack, save } from './model.mjs';

const LEARNING_RATE = 0.003;
const BATCH = 32;
const MOMENTUM = 0.9;
const SECOND_MOMENT = 0.999;
const WARMUP = 0.02;
const SCHEDULE = 'constant';
const FINAL_RATE = 0.1;
const WEIGHT_DECAY = 0.001;
const CLIP = 1;
const AVERAGE = 0;

// Reserved for writing the parameters and ending the process.
const RESERVE_SECONDS = 0.03;
const REPORTS = 50;

const random = createRandom(SEED);
const text = readCorpus();
const parameters = initialise(random);
const network = createNetwork(parameters);
const gradient = new Float64Array(parameters.length);
const first = new Float64Array(parameters.length);
const second = new Float64Array(parameters.length);
const average = new Float64Array(parameters.length);

const began = referenceSeconds();
const length = BUDGET_SECONDS - RESERVE_SECONDS - began;
/** Spent share of the budget, 0 … 1. */
const progress = () => (referenceSeconds() - began) / length;

/** The learning rate at a share of the budget. */
function rateAt(share) {
  const rise = WARMUP > 0 ? Math.min(1, share / WARMUP) : 1;
  const left = Math.max(0, 1 - share);
  let fall = 1;
  if (SCHEDULE === 'linear') fall = FINAL_RATE + (1 - FINAL_RATE) * left;
  if (SCHEDULE === 'cosine') fall = FINAL_RATE + (1 - FINAL_RATE) * 0.5 * (1 - Math.cos(Math.PI * left));
  return LEARNING_RATE * rise * fall;
}

/** Mean loss of a batch in bits. Writes its mean gradient to `gradient`. */
function gradientOfBatch() {
  gradient.fill(0);
  let loss = 0;
  for (let b = 0; b < BATCH; b++) {
    const position = lookBack + Math.floor(random() * (text.length - lookBack));
    loss += network.learn(text, position, gradient);
  }
  let norm = 0;
  for (let i = 0; i < gradient.length; i++) {
    gradient[i] /= BATCH;
    norm += gradient[i] * gradient[i];
  }
  const shrink = Math.min(1, CLIP / Math.sqrt(norm + 1e-12));
  for (let i = 0; i < gradient.length; i++) gradient[i] *= shrink;
  return loss / BATCH;
}

/** One step of Adam with decoupled weight decay. */
function update(step, rate) {
  const firstScale = 1 / (1 - MOMENTUM ** step);
  const secondScale = 1 / (1 - SECOND_MOMENT ** step);
  for (let i = 0; i < parameters.length; i++) {
    const g = gradient[i];
    first[i] = MOMENTUM * first[i] + (1 - MOMENTUM) * g;
    second[i] = SECOND_MOMENT * second[i] + (1 - SECOND_MOMENT) * g * g;
    const move = (first[i] * firstScale) / (Math.sqrt(second[i] * secondScale) + 1e-8);
    parameters[i] -= rate * (move + WEIGHT_DECAY * parameters[i]);
  }
}

/** Prints a line of progress: the mean loss since the last line. */
function report(share) {
  console.log(`step ${step} loss ${(lossSum / lossCount).toFixed(4)} share ${Math.min(1, share).toFixed(3)}`);
}

let step = 0;
let averaged = 0;
let [lossSum, lossCount, reported] = [0, 0, 0];
for (let share = progress(); share < 1 || step === 0; share = progress()) {
  step++;
  lossSum += gradientOfBatch();
  lossCount++;
  update(step, rateAt(share));
  // The mean of the parameters over the last share AVERAGE of the run.
  if (share > 1 - AVERAGE) {
    averaged++;
    for (let i = 0; i < average.length; i++) average[i] += (parameters[i] - average[i]) / averaged;
  }
  if (share * REPORTS >= reported + 1 || step === 1) {
    reported = Math.floor(share * REPORTS);
    report(share);
    if (!Number.isFinite(lossSum)) throw new Error(`the loss is no longer finite at step ${step}: lower LEARNING_RATE`);
    [lossSum, lossCount] = [0, 0];
  }
}
if (lossCount > 0) report(1);
writeFileSync('model.bin', save(averaged > 0 ? average : parameters));
