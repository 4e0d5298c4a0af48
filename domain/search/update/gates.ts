import type { Gate } from '../../learning/gates/gate.ts';

/**
 * A policy that freezes: its first token's entropy fell from 1.6 nats to .03 in 15 updates and .002 in 45, on the first answer
 * that was good. Below .05 a token the bonus is doubled, and again where that did not help; below .002 nothing is drawn any
 * more that could teach.
 */
const ENTROPY: readonly Gate[] = [
  {
    ...{ metric: 'entropy', below: 0.05, updates: 3, then: 'adjust' },
    adjust: { key: 'entropyCoefficient', by: 2, most: 0.08 },
  },
  { metric: 'entropy', below: 0.002, updates: 5, then: 'halt' },
];

/** Steps that are too large. */
const STEPS: readonly Gate[] = [
  { metric: 'gradNorm', above: 100, updates: 3, then: 'adjust', adjust: { key: 'lr', by: 0.5 } },
  { metric: 'clipShare', above: 0.5, updates: 3, then: 'adjust', adjust: { key: 'lr', by: 0.5 } },
  { metric: 'klShare', above: 0.9, updates: 3, then: 'adjust', adjust: { key: 'klCoefficient', by: 0.5 } },
];

/** Gates on the batch's own numbers. A small space of answers is soon known, so that little novelty is no collapse. */
const BATCH: readonly Gate[] = [
  { metric: 'novelty', below: 0.1, updates: 3, then: 'tell' },
  { metric: 'success', below: 0.2, updates: 3, then: 'tell' },
  { metric: 'success', below: 0.02, updates: 8, then: 'halt' },
];

/**
 * A sampler that is not the policy: single precision differs by 1e-4 nats, bfloat16 by .2. Stale samples differ since they are
 * of another version, which is no fault.
 */
const SAMPLER: readonly Gate[] = [
  { metric: 'samplerDiffMax', above: 0.3, updates: 1, then: 'tell' },
  { metric: 'samplerDiffMax', above: 2, updates: 3, then: 'halt' },
];

/** Rules of every method, unless a task writes its own. */
export const gatesOf = ({ staleness }: { staleness: number }): readonly Gate[] => [
  ...ENTROPY,
  ...STEPS,
  ...BATCH,
  ...(staleness === 0 ? SAMPLER : []),
];

/** Where nothing but the differences within a group teaches. */
export const NO_SPREAD: readonly Gate[] = [
  { metric: 'deadGroups', above: 0.9, updates: 3, then: 'tell' },
  { metric: 'deadGroups', above: 0.99, updates: 10, then: 'halt' },
];

/** A teacher that would teach the worse answers: its sign counts, since a harmful teacher moves the policy as far as a good one. */
export const TEACHER: readonly Gate[] = [
  { metric: 'teacherAgreement', below: 0, updates: 3, then: 'tell' },
  { metric: 'teacherAgreement', below: 0, updates: 6, then: 'halt' },
];
