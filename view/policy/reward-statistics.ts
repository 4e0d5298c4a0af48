import { sd, seriesOf } from '../../domain/statistics/series.ts';
import type { TrialStatus } from '../../domain/trial.ts';

/** The outcome of a sample that a version drew. */
export interface DrawnOutcome {
  /** Null while its trial is under way. */
  status: TrialStatus | null;
  reward: number | null;
}

/** Numbers and rewards of a version's samples. */
export interface RewardStatistics {
  /** Number of drawn samples. */
  drawn: number;
  /** Number of samples whose trial ended. */
  ended: number;
  /** Number of samples with a reward. */
  n: number;
  /** Mean reward; null without rewards. */
  mean: number | null;
  /** Standard deviation of the rewards; null for fewer than two. */
  sd: number | null;
  /** Share of ended samples whose run completed or whose candidate was known; null if none ended. */
  completed: number | null;
}

/** Computes the statistics of a version's samples. */
export function rewardStatisticsOf(samples: readonly DrawnOutcome[]): RewardStatistics {
  const ended = samples.filter(({ status }) => status !== null);
  const series = seriesOf(ended.flatMap(({ reward }) => (reward === null ? [] : [reward])));
  const completed = ended.filter(({ status }) => status === 'completed' || status === 'cached').length;
  return {
    drawn: samples.length,
    ended: ended.length,
    n: series.n,
    mean: series.n === 0 ? null : series.mean,
    sd: series.n < 2 ? null : sd(series),
    completed: ended.length === 0 ? null : completed / ended.length,
  };
}

/** Mean of B minus mean of A. The standard error assumes independent samples; null if either has too few. */
export interface Difference {
  value: number;
  standardError: number | null;
}

export function differenceOf(a: RewardStatistics, b: RewardStatistics): Difference | null {
  if (a.mean === null || b.mean === null) return null;
  const squares = a.sd === null || b.sd === null ? null : a.sd ** 2 / a.n + b.sd ** 2 / b.n;
  return { value: b.mean - a.mean, standardError: squares === null ? null : Math.sqrt(squares) };
}

/** Numbers in ascending order on one line, consecutive ones as a range: `#1–#4, #7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && n <= last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`)).join(', ');
}
