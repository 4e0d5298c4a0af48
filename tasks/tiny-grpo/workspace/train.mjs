// Improves the base policy by GRPO (Shao et al., arXiv 2402.03300): groups of chains of one problem, rewarded by their
// answers, without a value network. Writes policy.json.   node train.mjs
import { writeFileSync } from 'node:fs';
import * as net from './network.mjs';
import { createRandom, readBase, readProblems, SEED, WORDS, WORK } from './problems.mjs';
import { answerOf } from './text.mjs';

const LEARNING_RATE = 0.0005;
const PROBLEMS = 32;
const GROUP = 8;
const EPOCHS = 1;
const CLIP = 0.2;
const KL = 0.04;
const TEMPERATURE = 1;
const DIVIDE_BY_DEVIATION = true;
const ENTROPY = 0;
const MOMENTUM = 0.9;
const SECOND_MOMENT = 0.999;
const GRADIENT_CLIP = 1;
const SCHEDULE = 'constant';

const REPORTS = 40;

const random = createRandom(SEED);
const layout = net.layoutOf(WORDS.length);
const problems = readProblems();
const base = readBase();
const parameters = Float64Array.from(base);
const [gradient, first, second] = [0, 0, 0].map(() => new Float64Array(layout.size));

const vector = (n) => new Float64Array(n);
const hiddenOfBase = vector(net.HIDDEN);
const logitsOfBase = vector(net.CHOICES);

/** One sentence, with the policy's decision after each last action: filled when it is first needed. */
function sentenceOf(tokens) {
  const sum = vector(net.HIDDEN);
  net.encode(parameters, layout, tokens, sum);
  return { tokens, sum, after: Array(net.CHOICES + 1).fill(null), sumOfBase: null };
}

/** Probabilities of the next action, at temperature 1 and at TEMPERATURE. */
function decisionOf(sentence, last) {
  const known = sentence.after[last];
  if (known !== null) return known;
  const [hidden, logits] = [vector(net.HIDDEN), vector(net.CHOICES)];
  net.decide(parameters, layout, { sum: sentence.sum, last, hidden, logits });
  const decision = { hidden, plain: vector(net.CHOICES), sampled: vector(net.CHOICES), base: null, slope: null };
  net.softmax(logits, 1, decision.plain);
  net.softmax(logits, TEMPERATURE, decision.sampled);
  sentence.after[last] = decision;
  return decision;
}

/** Probabilities of the base policy at the same place. */
function baseOf(sentence, last, decision) {
  if (decision.base !== null) return decision.base;
  if (sentence.sumOfBase === null) {
    sentence.sumOfBase = vector(net.HIDDEN);
    net.encode(base, layout, sentence.tokens, sentence.sumOfBase);
  }
  net.decide(base, layout, { sum: sentence.sumOfBase, last, hidden: hiddenOfBase, logits: logitsOfBase });
  decision.base = vector(net.CHOICES);
  net.softmax(logitsOfBase, 1, decision.base);
  return decision.base;
}

function sampled(probabilities) {
  let left = random();
  for (let k = 0; k < net.CHOICES - 1; k++) {
    left -= probabilities[k];
    if (left < 0) return k;
  }
  return net.CHOICES - 1;
}

/** Draws a group of chains of one problem: each with its actions, their old probabilities, and its advantage. */
function groupOf({ steps, answer }) {
  const sentences = steps.map(({ tokens }) => sentenceOf(tokens));
  const chains = Array.from({ length: GROUP }, () => {
    const [actions, old] = [[], []];
    for (const sentence of sentences) {
      const { sampled: probabilities } = decisionOf(sentence, actions.at(-1) ?? net.START);
      actions.push(sampled(probabilities));
      old.push(probabilities[actions.at(-1)]);
    }
    return { actions, old, reward: answerOf(steps, actions) === answer ? 1 : 0, advantage: 0 };
  });
  const mean = chains.reduce((sum, { reward }) => sum + reward, 0) / GROUP;
  const deviation = Math.sqrt(mean * (1 - mean));
  for (const chain of chains)
    chain.advantage = (chain.reward - mean) / (DIVIDE_BY_DEVIATION ? deviation + 1e-4 : 1);
  return { steps, chains, mean };
}

/** Adds the slope of the loss in the logits of one decision of one chain. Returns its KL to the base policy. */
function addSlope(decision, { action, old, advantage, base: reference, weight }) {
  decision.slope ??= vector(net.CHOICES);
  const { plain, sampled: now, slope } = decision;
  const ratio = now[action] / old;
  const clipped = advantage > 0 ? ratio > 1 + CLIP : ratio < 1 - CLIP;
  let entropy = 0;
  for (let k = 0; k < net.CHOICES; k++) entropy -= plain[k] * Math.log(plain[k] + 1e-12);
  // The estimator r − log r − 1 of the KL, with r = base / policy.
  const r = KL > 0 ? reference[action] / (plain[action] + 1e-12) : 1;
  for (let k = 0; k < net.CHOICES; k++) {
    const chosen = k === action ? 1 : 0;
    if (!clipped) slope[k] -= (weight * advantage * ratio * (chosen - now[k])) / TEMPERATURE;
    if (KL > 0) slope[k] += weight * KL * (1 - Math.min(r, 20)) * (chosen - plain[k]);
    if (ENTROPY > 0) slope[k] += weight * ENTROPY * plain[k] * (Math.log(plain[k] + 1e-12) + entropy);
  }
  return r - Math.log(r + 1e-12) - 1;
}

/** Adds the gradient of a group. Returns the mean KL of its actions. */
function learnFrom({ steps, chains }) {
  const informative = KL > 0 || ENTROPY > 0 || chains.some(({ advantage }) => advantage !== 0);
  if (!informative) return 0;
  const sentences = steps.map(({ tokens }) => sentenceOf(tokens));
  let kl = 0;
  for (const { actions, old, advantage } of chains)
    sentences.forEach((sentence, i) => {
      const last = actions[i - 1] ?? net.START;
      const decision = decisionOf(sentence, last);
      const reference = KL > 0 ? baseOf(sentence, last, decision) : null;
      const weight = 1 / (steps.length * GROUP * PROBLEMS);
      kl += addSlope(decision, { action: actions[i], old: old[i], advantage, base: reference, weight });
    });
  for (const { tokens, after } of sentences) {
    const sumGradient = vector(net.HIDDEN);
    after.forEach((decision, last) => {
      if (decision === null || decision.slope === null) return;
      net.decideBack(parameters, layout, { last, ...decision, gradient, sumGradient });
    });
    net.encodeBack(parameters, layout, tokens, { gradient, sumGradient });
  }
  return kl / (steps.length * GROUP);
}

/** One step of Adam with the gradient's norm limited. */
function update(step, rate) {
  let norm = 0;
  for (let i = 0; i < gradient.length; i++) norm += gradient[i] * gradient[i];
  const shrink = Math.min(1, GRADIENT_CLIP / Math.sqrt(norm + 1e-12));
  const firstScale = 1 / (1 - MOMENTUM ** step);
  const secondScale = 1 / (1 - SECOND_MOMENT ** step);
  for (let i = 0; i < gradient.length; i++) {
    const g = gradient[i] * shrink;
    first[i] = MOMENTUM * first[i] + (1 - MOMENTUM) * g;
    second[i] = SECOND_MOMENT * second[i] + (1 - SECOND_MOMENT) * g * g;
    parameters[i] -= (rate * first[i] * firstScale) / (Math.sqrt(second[i] * secondScale) + 1e-8);
  }
}

const share = () => Math.min(1, net.spentMillions() / WORK);
let [updates, reported, batches, rewards, klSum] = [0, 0, 0, 0, 0];
while (share() < 1) {
  const groups = Array.from({ length: PROBLEMS }, () => groupOf(problems[Math.floor(random() * problems.length)]));
  rewards += groups.reduce((sum, { mean }) => sum + mean, 0) / PROBLEMS;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    gradient.fill(0);
    for (const group of groups) klSum += learnFrom(group) / (PROBLEMS * EPOCHS);
    update(++updates, LEARNING_RATE * (SCHEDULE === 'linear' ? 1 - share() : 1));
  }
  batches++;
  if (share() * REPORTS < reported + 1) continue;
  reported = Math.floor(share() * REPORTS);
  const [reward, kl] = [rewards / batches, klSum / batches].map((x) => x.toFixed(4));
  console.log(`step ${updates} reward ${reward} kl ${kl} share ${share().toFixed(3)}`);
  if (!parameters.every(Number.isFinite)) throw new Error('the parameters are no longer finite: lower LEARNING_RATE');
  [batches, rewards, klSum] = [0, 0, 0];
}
writeFileSync('policy.json', JSON.stringify(Array.from(parameters, (x) => Number(x.toPrecision(7)))));
