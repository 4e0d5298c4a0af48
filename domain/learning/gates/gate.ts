/** A rule on one metric of an update. If the metric crosses `below` or `above`, `then` gives the consequence. */
export interface Gate {
  /** Name of the metric, from the trainer or the batch. */
  metric: string;
  below?: number;
  above?: number;
  /** Consecutive updates that must cross the limit; default 1. */
  updates?: number;
  /**
   * Consequence. `tell`: an event. `adjust`: a factor on one setting of the next steps. `halt`: no more updates; the
   * last good version stays in force.
   */
  then: 'tell' | 'adjust' | 'halt';
  /** For `adjust`: a key of `algorithm` or `optimizer`, the factor `by`, and the largest value `most`. */
  adjust?: { key: string; by: number; most?: number };
}

/** A gate in words: `gradNorm above 10`. */
export const describeGate = ({ metric, below, above }: Gate): string => {
  const bounds: string[] = [];
  if (below !== undefined) bounds.push(`below ${below}`);
  if (above !== undefined) bounds.push(`above ${above}`);
  return `${metric} ${bounds.join(' or ')}`;
};

/**
 * Metrics of an update that a gate can read: from the trainer, then from the batch. An update may lack some of them.
 */
export const UPDATE_METRICS = [
  'loss',
  'policyLoss',
  'kl',
  'klShare',
  'entropy',
  'ratioMean',
  'clipShare',
  'gradNorm',
  'rewardMean',
  'rewardStd',
  'deadGroups',
  'tokens',
  'samplerDiffMean',
  'samplerDiffMax',
  'isWeightMean',
  'epochs',
  'groups',
  'rollouts',
  'valueLoss',
  'explainedVariance',
  'teacherGap',
  'distillationLoss',
  'teacherAgreement',
  'teacherShare',
  'novelty',
  'success',
];
