import {
  boundFalseAborts,
  quantileOf,
  resampled,
  type CurveCount,
} from '../../../domain/abort/replay/bound-false-aborts.ts';
import { gainAt, type Setting } from './gain-at.ts';

/**
 * Counts of one curve over all orders, with its slot time in budgets: `whole` without aborts, `used` with them.
 * If the gain is a mean over researches, each count is a research, with its gain as `whole` and 1 as `used`.
 */
export interface TimedCount extends CurveCount {
  whole: number;
  used: number;
}

const SEED = 1;

/**
 * The 90 % range of the ratio of a rule's gain to that of the yardstick at the same error: each end is a one-sided 95 %
 * limit. Groups are resampled as for the limits of the error, and each sample has its own error and gain. The settings
 * of the yardstick are fixed, so the range does not include their uncertainty.
 * Few groups show few errors. The range therefore also includes the ratios at the lower and upper limit of the error.
 * An end is infinite if no setting errs so little, and NaN if there was no case to lose.
 */
export function gainRatioRange(
  counts: readonly TimedCount[],
  yardstick: readonly Setting[],
): { low: number; high: number } {
  const timesAt = (gain: number, error: number): number => {
    const beside = gainAt(yardstick, error);
    return beside === null ? Infinity : gain / beside;
  };
  const all = sumOf(counts);
  const error = boundFalseAborts(counts, SEED);
  const drawn = resampled(groupsOf(counts), SEED, (groups) => {
    const { cases, hits, whole, used } = sumOf(groups);
    return cases === 0 ? Number.NaN : timesAt(whole / used, hits / cases);
  }).filter((times) => !Number.isNaN(times));
  return {
    low: Math.min(quantileOf(drawn, 0.05), timesAt(all.whole / all.used, error.high)),
    high: Math.max(quantileOf(drawn, 0.95), timesAt(all.whole / all.used, error.low)),
  };
}

type Sum = Omit<TimedCount, 'group'>;

/** Sums by group, also of groups without a case, since they took time. */
const groupsOf = (counts: readonly TimedCount[]): Sum[] =>
  [...new Set(counts.map(({ group }) => group))].map((name) => sumOf(counts.filter(({ group }) => group === name)));

const sumOf = (counts: readonly Sum[]): Sum =>
  counts.reduce<Sum>(
    (sum, { cases, hits, whole, used }) => ({
      cases: sum.cases + cases,
      hits: sum.hits + hits,
      whole: sum.whole + whole,
      used: sum.used + used,
    }),
    { cases: 0, hits: 0, whole: 0, used: 0 },
  );
