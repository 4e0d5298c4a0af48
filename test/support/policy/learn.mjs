// One step of REINFORCE with a baseline for each group, and its metrics.
import { entropiesOf, logprobsOf, placeOf, softmax, textOf } from './model.mjs';

/** Logits move by lr times this: with the rates of a low-rank adapter it learns within a dozen steps. */
const RATE = 5000;

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
const deviation = (values) =>
  values.length < 2
    ? 0
    : Math.sqrt(values.reduce((sum, one) => sum + (one - mean(values)) ** 2, 0) / (values.length - 1));

/** The new logits, and the metrics that the contract names. `reference`: logits of the weights that KL is from. */
export function learn({ logits, reference }, { rollouts, optimizer, algorithm }, model) {
  const learnt = rollouts.filter(({ lossMask }) => lossMask.includes(1));
  const rewards = rollouts.map(({ reward }) => reward);
  const groups = byGroup(rollouts);
  const shares = softmax(logits);
  const slopes = logits.map(() => 0);
  for (const one of learnt) {
    const chosen = placeOf(textOf(one.completionIds), model);
    if (chosen < 0) continue;
    const others = groups.get(one.group).map(({ reward }) => reward);
    const scale = algorithm.scaleRewards === 'group' ? deviation(others) + (algorithm.stdFloor ?? 0) : 1;
    const advantage = (one.reward - mean(others)) / (scale || 1);
    slopes.forEach(
      (_, answer) => (slopes[answer] += (advantage * ((answer === chosen) - shares[answer])) / learnt.length),
    );
  }
  // The entropy of an answer.
  const whole = -shares.reduce((sum, share) => sum + (share > 0 ? share * Math.log(share) : 0), 0);
  // The slope of the entropy by a logit.
  shares.forEach((share, answer) => {
    slopes[answer] -= algorithm.entropyCoefficient * share * (Math.log(Math.max(share, 1e-300)) + whole);
  });
  const gradNorm = Math.hypot(...slopes);
  const shrink = Math.min(1, optimizer.maxGradNorm / (gradNorm || 1));
  const moved = logits.map((logit, answer) => logit + optimizer.lr * RATE * shrink * slopes[answer]);
  const gaps = learnt.flatMap((one) => {
    const own = logprobsOf(one.completionIds, logits, model);
    return own === null ? [] : own.map((logprob, index) => Math.abs(logprob - one.logprobs[index]));
  });
  // As in the trainer, the mean over the tokens whose entropy counts.
  const entropies = learnt.flatMap((one) => {
    const own = entropiesOf(one.completionIds, logits, model);
    return own === null ? [] : own.filter((_, index) => (one.entropyMask ?? one.lossMask)[index] === 1);
  });
  const dead = [...groups.values()].filter((members) => new Set(members.map(({ reward }) => reward)).size < 2);
  const metrics = {
    loss: -mean(rewards),
    policyLoss: -mean(rewards),
    entropy: entropies.length === 0 ? whole : mean(entropies),
    ratioMean: 1,
    clipShare: 0,
    gradNorm,
    rewardMean: mean(rewards),
    rewardStd: deviation(rewards),
    deadGroups: dead.length / groups.size,
    tokens: learnt.reduce((sum, { lossMask }) => sum + lossMask.filter((one) => one === 1).length, 0),
    samplerDiffMean: gaps.length === 0 ? 0 : mean(gaps),
    samplerDiffMax: Math.max(0, ...gaps),
    isWeightMean: 1,
    epochs: algorithm.epochs,
    groups: groups.size,
    rollouts: rollouts.length,
    ...(algorithm.klCoefficient > 0 && { kl: divergence(shares, softmax(reference)), klShare: 0 }),
    ...(algorithm.name === 'sdpo' && {
      teacherShare: mean(rollouts.map((one) => Number(one.teacherPromptIds !== null))),
    }),
  };
  return { logits: moved, metrics };
}

/** KL divergence of one distribution over the answers from another, in nats. */
const divergence = (shares, others) =>
  shares.reduce((sum, share, answer) => sum + (share > 0 ? share * Math.log(share / others[answer]) : 0), 0);

function byGroup(rollouts) {
  const groups = new Map();
  for (const one of rollouts) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return groups;
}
