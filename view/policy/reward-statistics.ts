import { sd, seriesOf } from '../../domain/statistics/series.ts';
import type { TrialStatus } from '../../domain/trial.ts';

/** A sample that a version drew, and what came of it. */
export interface DrawnOutcome {
  /** Null while its trial is under way. */
  status: TrialStatus | null;
  reward: number | null;
}

/** Rewards of what a version drew. */
export interface RewardStatistics {
  /** Samples drawn, those whose trial ended, and those that have a reward. */
  drawn: number;
  ended: number;
  n: number;
  mean: number | null;
  /** Null for fewer than two. */
  sd: number | null;
  /** Share of the ended ones whose run completed, or of which the outcome was known; null where none ended. */
  completed: number | null;
}

/** Statistics of the rewards of a version's samples. */
export function rewardStatisticsOf(samples: readonly DrawnOutcome[]): RewardStatistics {
  const ended = samples.filter(({ status }) => status !== null);
  const series = seriesOf(ended.flatMap(({ reward }) => (reward === null ? [] : [reward])));
  const completed = ended.filter(({ status }) => status === 'completed' || status === 'cached').length;
  return {
    ...{ drawn: samples.length, ended: ended.length, n: series.n },
    mean: series.n === 0 ? null : series.mean,
    sd: series.n < 2 ? null : sd(series),
    completed: ended.length === 0 ? null : completed / ended.length,
  };
}

/** B's mean less A's, with its standard error as of independent samples; null where either has too few. */
export interface Difference {
  value: number;
  standardError: number | null;
}

export function differenceOf(a: RewardStatistics, b: RewardStatistics): Difference | null {
  if (a.mean === null || b.mean === null) return null;
  const squares = a.sd === null || b.sd === null ? null : a.sd ** 2 / a.n + b.sd ** 2 / b.n;
  return { value: b.mean - a.mean, standardError: squares === null ? null : Math.sqrt(squares) };
}

/** Numbers in rising order on one line, those in a row as a range: `#1–#4, #7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && n <= last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `#${from}` : `#${from}–#${to}`)).join(', ');
}
