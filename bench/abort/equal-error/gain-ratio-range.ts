import {
  boundFalseAborts,
  quantileOf,
  resampled,
  type CurveCount,
} from '../../../domain/abort/replay/bound-false-aborts.ts';
import { gainAt, type Setting } from './gain-at.ts';

/**
 * What a rule did to one curve over all orders: its slot time without aborts and with them, in budgets. Of a whole research,
 * where the gain is a mean of researches': its gain, and 1.
 */
export interface TimedCount extends CurveCount {
  whole: number;
  used: number;
}

const SEED = 1;

/**
 * The range of 90 % of a rule's gain over the yardstick's at the same error: each end is a one-sided 95 % limit. Groups are
 * drawn again as for the limits of the error, and both change together: the error of what was drawn, and its gain. The
 * yardstick's own settings are held fixed: how uncertain they are is not in it. Few groups show few errors, so that the range
 * also reaches from what the gain is beside the yardstick at the lower limit of the error to that at its upper one. An end is
 * infinite where no setting errs so little, and NaN where nothing was to be lost.
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

/** All groups, also those without a case: they took time. */
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
