/** Numbers of an update that a gate can read: the trainer's, and those of the batch itself. One that is undefined is left out. */
export const METRICS = [
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
