import type { Gate } from '../../learning/gates/gate.ts';
import { type Learning, tokensOf } from './settings.ts';

/**
 * Gates against a policy that repeats one answer. In measured runs (docs/experiments/0030-…) a policy below .05 nats a
 * token of its values gave one value. It found others while it had .019 nats or more, and none after it had less than
 * .005 for five updates. Below .05 the entropy bonus is doubled, repeatedly if that does not help.
 */
const ENTROPY: readonly Gate[] = entropyGates({ halt: 0.005 });

/** Gates for `tokens: all`, as in a research that 0.2 began: the entropy is the mean over all tokens. */
const ENTROPY_OF_ALL: readonly Gate[] = entropyGates({ halt: 0.002 });

function entropyGates({ halt }: { halt: number }): readonly Gate[] {
  const adjust = { key: 'entropyCoefficient', by: 2, most: 0.08 };
  return [
    { metric: 'entropy', below: 0.05, updates: 3, then: 'adjust', adjust },
    { metric: 'entropy', below: halt, updates: 5, then: 'halt' },
  ];
}

/** Gates against steps that are too large. */
const STEPS: readonly Gate[] = [
  { metric: 'gradNorm', above: 100, updates: 3, then: 'adjust', adjust: { key: 'lr', by: 0.5 } },
  { metric: 'clipShare', above: 0.5, updates: 3, then: 'adjust', adjust: { key: 'lr', by: 0.5 } },
  { metric: 'klShare', above: 0.9, updates: 3, then: 'adjust', adjust: { key: 'klCoefficient', by: 0.5 } },
];

/** Gates on the batch's own metrics. Low novelty never halts: a small space of answers is soon exhausted. */
const BATCH: readonly Gate[] = [
  { metric: 'novelty', below: 0.1, updates: 3, then: 'tell' },
  { metric: 'success', below: 0.2, updates: 3, then: 'tell' },
  { metric: 'success', below: 0.02, updates: 8, then: 'halt' },
];

/**
 * Gates against a sampler whose weights are not the policy's. Between sampler and trainer, log-probabilities differ by
 * 1e-4 nats in single precision, and by .2 in bfloat16. Stale samples come from another version, so their differences
 * are no fault.
 */
const SAMPLER: readonly Gate[] = [
  { metric: 'samplerDiffMax', above: 0.3, updates: 1, then: 'tell' },
  { metric: 'samplerDiffMax', above: 2, updates: 3, then: 'halt' },
];

/** Gates of every method, unless a task has its own. */
export const gatesOf = (settings: Pick<Learning, 'staleness' | 'tokens'>): readonly Gate[] => [
  ...(tokensOf(settings) === 'answer' ? ENTROPY : ENTROPY_OF_ALL),
  ...STEPS,
  ...BATCH,
  ...(settings.staleness === 0 ? SAMPLER : []),
];

/** Gates for methods that learn only from differences within a group. */
export const NO_SPREAD: readonly Gate[] = [
  { metric: 'deadGroups', above: 0.9, updates: 3, then: 'tell' },
  { metric: 'deadGroups', above: 0.99, updates: 10, then: 'halt' },
];

/**
 * A gate against a value head that adds noise to the advantages. Below 0 its values are worse than the mean return.
 * With the defaults the explained variance stays above −.3; with a value head that overshoots it falls below −2
 * (docs/decisions/0069).
 */
export const VALUES: readonly Gate[] = [
  { metric: 'explainedVariance', below: -0.5, updates: 3, then: 'adjust', adjust: { key: 'valueLr', by: 0.5 } },
];

/**
 * Gates against a teacher that prefers worse answers. Only the sign counts: a harmful teacher moves the policy as far
 * as a good one.
 */
export const TEACHER: readonly Gate[] = [
  { metric: 'teacherAgreement', below: 0, updates: 3, then: 'tell' },
  { metric: 'teacherAgreement', below: 0, updates: 6, then: 'halt' },
];
