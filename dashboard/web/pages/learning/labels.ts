import type { Update } from '../../../api/learning.ts';

/** Health numbers as people name them; others by the trainer's own name. */
const NAMES: Record<string, string> = {
  ...{ reward: 'Mean reward', legal: 'Legal share', entropy: 'Entropy, nats a token', kl: 'KL to the reference' },
  ...{ klShare: 'Share of the KL in the loss', gradNorm: 'Gradient norm', clipShare: 'Clipped share' },
  ...{ novelty: 'Novelty', success: 'Success', deadGroups: 'Groups without a spread', loss: 'Loss' },
  ...{ policyLoss: 'Policy loss', ratioMean: 'Mean ratio', rewardStd: 'Reward, sd', tokens: 'Tokens' },
  ...{ samplerDiffMean: 'Sampler difference, mean', samplerDiffMax: 'Sampler difference, largest' },
  ...{ isWeightMean: 'Importance weight, mean', valueLoss: 'Value loss', explainedVariance: 'Explained variance' },
  ...{ teacherGap: 'Gap to the teacher', distillationLoss: 'Distillation loss' },
  ...{ teacherAgreement: 'Agreement with the teacher', teacherShare: "Teacher's share" },
};

export const metricName = (name: string): string => NAMES[name] ?? name;

/** Those that stand first; the others follow by name. */
const FIRST = [
  'reward',
  'legal',
  'entropy',
  'klShare',
  'kl',
  'gradNorm',
  'clipShare',
  'novelty',
  'success',
  'deadGroups',
];

/** Names of the numbers that at least one update has, those that a person asks for first in front. */
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

/** A number of an update; null where it has none. */
export function metricOf(update: Update, name: string): number | null {
  if (name === 'reward') return update.reward;
  if (name === 'legal') return update.legal;
  const value = Object.hasOwn(update.metrics, name) ? update.metrics[name] : undefined;
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/** Whether a gate reads this number; the batch's mean reward has two names. */
export const readsMetric = (gate: string, name: string): boolean =>
  gate === name || (name === 'reward' && gate === 'rewardMean');

const STATES: Record<string, string> = {
  open: 'its batch fills',
  due: 'due',
  'under way': 'under way',
  done: 'made a version',
  empty: 'nothing to learn',
  refused: 'refused',
  failed: 'failed',
};

export const updateStateLabel = (state: string): string => STATES[state] ?? state;

export const versionName = (k: number): string => (k === 0 ? 'the model as it came' : `version ${k}`);

const THEN: Record<string, string> = { tell: 'told', adjust: 'adjusted', halt: 'halted learning' };

/** What a gate did, in a word. */
export const gateActionLabel = (then: string): string => THEN[then] ?? then;
