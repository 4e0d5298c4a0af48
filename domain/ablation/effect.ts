import { differenceOf, halfWidthOf, type Estimate } from '../gate/estimate/interval.ts';
import { sd, seriesOf } from '../statistics/series.ts';
import { LEAST_RUNS } from './plan.ts';

export interface Effect {
  /** Mean of the claim's runs, and of the variant's; null without runs. */
  with: number | null;
  without: number | null;
  /** Numbers of these runs. */
  runsWith: number;
  runsWithout: number;
  /** Gain of the edit: positive if the claim is better with it; null with fewer than two runs of either. */
  gain: number | null;
  /** 95 % interval of the gain, by Welch's t; null without a gain. */
  interval: [number, number] | null;
}

/** The effect of an edit, from the values of runs with it and without it. */
export function effectOf(
  values: { with: readonly number[]; without: readonly number[] },
  direction: 'minimize' | 'maximize',
): Effect {
  const [a, b] = [values.with, values.without].map(seriesOf);
  if (a === undefined || b === undefined) throw new Error('Expected two lists of values');
  const found = {
    with: a.n === 0 ? null : a.mean,
    without: b.n === 0 ? null : b.mean,
    runsWith: a.n,
    runsWithout: b.n,
  };
  if (a.n < LEAST_RUNS || b.n < LEAST_RUNS) return { ...found, gain: null, interval: null };
  const sign = direction === 'minimize' ? -1 : 1;
  const estimate = (series: typeof a): Estimate => ({
    mean: series.mean * sign,
    variance: sd(series) ** 2 / series.n,
    df: series.n - 1,
    n: series.n,
  });
  const difference = differenceOf(estimate(a), estimate(b));
  const half = halfWidthOf(difference);
  return { ...found, gain: difference.mean, interval: [difference.mean - half, difference.mean + half] };
}
