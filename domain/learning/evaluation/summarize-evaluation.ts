import { binomialInterval } from '../../statistics/binomial-interval.ts';
import { differenceOf, halfWidthOf } from '../../gate/estimate/interval.ts';
import { hasOtherCause } from '../../search/reward/ending-rewards.ts';
import { type MeanInterval, meanInterval } from '../../statistics/mean-interval.ts';
import type { FailureLabel, TrialStatus } from '../../trial.ts';

/** A trial of an evaluation. `status` is null while it is under way. */
export interface EvaluatedTrial {
  kind: 'baseline' | 'search';
  status: TrialStatus | null;
  failure: FailureLabel | null;
  value: number | null;
  reward: number | null;
}

/** A share of samples with its exact 95 % interval (Clopper–Pearson); `share` is null without samples. */
export interface ShareInterval {
  n: number;
  share: number | null;
  low: number;
  high: number;
}

/** Result of an evaluation, complete or not. */
export interface EvaluationSummary {
  /** Samples whose trial ended. */
  ended: number;
  /** Samples among them that a machine lost, a person stopped or the sampler refused. They count in no other number. */
  lost: number;
  /** Answers that were read as a proposal. */
  readable: ShareInterval;
  /** Values of the runs that were scored. */
  value: MeanInterval;
  /** Rewards of all outcomes, failed and unreadable ones included; null if the policy's research has no reward. */
  reward: MeanInterval | null;
  /** Values of the unmodified version's runs. */
  baseline: MeanInterval;
  /** Mean value minus the baseline's, with its 95 % interval by Welch's t; null if a sd is unknown, or both are 0. */
  difference: { value: number; low: number; high: number } | null;
  /** Samples that ended without a value, by label. */
  failures: Partial<Record<FailureLabel, number>>;
  /** Runs of the unmodified version that ended, and those among them without a value. */
  baselineRuns: { ended: number; failed: number };
}

/** Summarises the trials of an evaluation. */
export function summarizeEvaluation(
  trials: readonly EvaluatedTrial[],
  { hasReward }: { hasReward: boolean },
): EvaluationSummary {
  const ended = trials.filter(({ status }) => status !== null);
  const samples = ended.filter(({ kind }) => kind === 'search');
  const outcomes = samples.filter(({ status, failure }) => status !== null && !hasOtherCause({ status, failure }));
  const runs = ended.filter(({ kind }) => kind === 'baseline');
  const value = meanInterval(valuesOf(outcomes));
  const baseline = meanInterval(valuesOf(runs));
  return {
    ended: samples.length,
    lost: samples.length - outcomes.length,
    readable: shareOf(outcomes.filter(({ status }) => status !== 'rejected').length, outcomes.length),
    value,
    reward: hasReward ? meanInterval(outcomes.flatMap(({ reward }) => (reward === null ? [] : [reward]))) : null,
    baseline,
    difference: differenceBetween(value, baseline),
    failures: countLabels(outcomes),
    baselineRuns: { ended: runs.length, failed: runs.length - baseline.n },
  };
}

const valuesOf = (trials: readonly EvaluatedTrial[]): number[] =>
  trials.flatMap(({ status, value }) => (status === 'completed' && value !== null ? [value] : []));

function shareOf(hits: number, n: number): ShareInterval {
  if (n === 0) return { n, share: null, low: 0, high: 1 };
  return { n, share: hits / n, ...binomialInterval(hits, n, 0.975) };
}

function differenceBetween(a: MeanInterval, b: MeanInterval): EvaluationSummary['difference'] {
  const [value, baseline] = [estimateOf(a), estimateOf(b)];
  if (value === null || baseline === null) return null;
  const difference = differenceOf(value, baseline);
  const half = halfWidthOf(difference);
  if (half === 0) return null;
  return { value: difference.mean, low: difference.mean - half, high: difference.mean + half };
}

const estimateOf = ({ n, mean, sd }: MeanInterval) =>
  mean === null || sd === null ? null : { mean, variance: sd ** 2 / n, df: n - 1, n };

function countLabels(trials: readonly EvaluatedTrial[]): EvaluationSummary['failures'] {
  const counts: EvaluationSummary['failures'] = {};
  for (const { failure } of trials) if (failure !== null) counts[failure] = (counts[failure] ?? 0) + 1;
  return counts;
}
