/** A rule on one number of an update: where it is crossed, `then` says what happens. */
export interface Gate {
  /** The metric's name, as the trainer or the batch tells it. */
  metric: string;
  below?: number;
  above?: number;
  /** Updates in a row that must cross it; default 1. */
  updates?: number;
  /** `tell`: an event. `adjust`: a number of the next steps is multiplied. `halt`: no more updates; the last good version stays. */
  then: 'tell' | 'adjust' | 'halt';
  /** For `adjust`: key of `algorithm` or `optimizer`, and the factor. */
  adjust?: { key: string; by: number; most?: number };
}

/** Numbers of an update that a gate can read: the trainer's, and those of the batch itself. One that is undefined is left out. */
export const UPDATE_METRICS = [
  ...[
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
  ],
  ...['deadGroups', 'tokens', 'samplerDiffMean', 'samplerDiffMax', 'isWeightMean', 'epochs', 'groups', 'rollouts'],
  ...['valueLoss', 'explainedVariance', 'teacherGap', 'distillationLoss', 'teacherAgreement', 'teacherShare'],
  ...['novelty', 'success'],
];
