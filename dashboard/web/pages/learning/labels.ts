import type { Update } from '../../../api/learning.ts';

/** Names of the metrics for people. A metric that is not here keeps the trainer's name. */
const NAMES: Record<string, string> = {
  reward: 'Mean reward',
  'heldOut-within': 'Held-out value (eval)',
  'heldOut-apart': 'Held-out value (policy eval)',
  legal: 'Legal share',
  entropy: 'Entropy, nats a token',
  kl: 'KL to version 0, nats a token',
  klShare: 'Share of the KL in the loss',
  gradNorm: 'Gradient norm',
  clipShare: 'Clipped share',
  novelty: 'New share',
  success: 'Success',
  deadGroups: 'Groups without a spread',
  loss: 'Loss',
  policyLoss: 'Policy loss',
  ratioMean: 'Mean ratio',
  rewardStd: 'Reward, sd',
  tokens: 'Tokens',
  samplerDiffMean: 'Sampler difference, mean',
  samplerDiffMax: 'Sampler difference, largest',
  isWeightMean: 'Importance weight, mean',
  valueLoss: 'Value loss',
  explainedVariance: 'Explained variance',
  teacherGap: 'Gap to the teacher',
  distillationLoss: 'Distillation loss',
  teacherAgreement: 'Agreement with the teacher',
  teacherShare: "Teacher's share",
};

export const metricName = (name: string): string => NAMES[name] ?? name;

/** Metrics that come first, in this order. The others follow by name. */
const FIRST = [
  'reward',
  'legal',
  'entropy',
  'novelty',
  'kl',
  'gradNorm',
  'clipShare',
  'klShare',
  'explainedVariance',
  'valueLoss',
  'success',
  'deadGroups',
];

/** Metrics that at least one update has, the most important ones first. */
export function metricsOf(updates: readonly Update[]): string[] {
  const seen = new Set<string>();
  for (const update of updates) {
    if (update.reward !== null) seen.add('reward');
    if (update.legal !== null) seen.add('legal');
    for (const name of Object.keys(update.metrics)) if (name !== 'rewardMean') seen.add(name);
  }
  const rest = [...seen].filter((name) => !FIRST.includes(name)).sort();
  return [...FIRST.filter((name) => seen.has(name)), ...rest];
}

/** A metric of an update; null if it is missing or not finite. */
export function metricOf(update: Update, name: string): number | null {
  if (name === 'reward') return update.reward;
  if (name === 'legal') return update.legal;
  const value = Object.hasOwn(update.metrics, name) ? update.metrics[name] : undefined;
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** True if a gate on the metric `gate` reads the metric `name`. The batch's mean reward has two names. */
export const readsMetric = (gate: string, name: string): boolean =>
  gate === name || (name === 'reward' && gate === 'rewardMean');

const STATES: Record<string, string> = {
  open: 'its batch is filling',
  due: 'due',
  'under way': 'under way',
  done: 'made a version',
  empty: 'nothing to learn',
  refused: 'refused',
  failed: 'failed',
};

export const updateStateLabel = (state: string): string => STATES[state] ?? state;

export const versionName = (k: number): string => (k === 0 ? 'the base model' : `version ${k}`);

const THEN: Record<string, string> = { tell: 'reported', adjust: 'adjusted', halt: 'halted learning' };

/** Action of a gate, in a word. */
export const gateActionLabel = (then: string): string => THEN[then] ?? then;
