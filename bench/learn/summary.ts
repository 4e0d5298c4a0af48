import { mean, sampleStandardDeviation } from 'simple-statistics';
import { upperQuantile } from '../../domain/statistics/student-t.ts';
import type { Update } from './read.ts';
import { type Answers, meanOf } from './split.ts';

/** Number of updates at the begin and at the end whose means are listed. */
export const LISTED = 5;

/** The figures of one repeat. */
export interface RepeatResult {
  seed: number;
  means: number[];
  /** Updates; empty if there is no model. */
  updates: Update[];
  /** CPU seconds; null if not measured. */
  cpu: number | null;
  /** Answers of the last version on fresh seeds; null if not evaluated. */
  evaluation: Answers | null;
}

/** Mean over repeats with half of its 95 % interval (Student's t); `half` is null for a single repeat. */
export interface Estimate {
  mean: number;
  half: number | null;
}

export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  const half = n < 2 ? null : (upperQuantile(0.025, n - 1) * sampleStandardDeviation([...values])) / Math.sqrt(n);
  return { mean: mean([...values]), half };
}

export interface Summary {
  name: string;
  seeds: number;
  first: Estimate;
  last: Estimate;
  /** Mean value of the last version on fresh seeds, and its share of readable answers; null if not evaluated. */
  heldOut: { mean: Estimate; readShare: number } | null;
  /** Share of valid answers in the last updates; null if there is no model. */
  validShare: number | null;
  entropy: number | null;
  /** Each alarm with the number of its firings over all repeats. */
  alarms: string[];
  /** Mean CPU seconds of the measured repeats. */
  cpu: number | null;
}

export function summarize(name: string, repeats: readonly RepeatResult[]): Summary {
  const late = repeats.flatMap(({ updates }) => updates.slice(-LISTED));
  const entropies = late.flatMap(({ entropy }) => (entropy === null ? [] : [entropy]));
  const cpus = repeats.flatMap(({ cpu }) => (cpu === null ? [] : [cpu]));
  const times = new Map<string, number>();
  for (const alarm of repeats.flatMap(({ updates }) => updates.flatMap(({ alarms }) => alarms)))
    times.set(alarm, (times.get(alarm) ?? 0) + 1);
  const evaluations = repeats.flatMap(({ evaluation }) => evaluation ?? []);
  return {
    name,
    seeds: repeats.length,
    first: estimate(repeats.map(({ means }) => mean(means.slice(0, LISTED)))),
    last: estimate(repeats.map(({ means }) => mean(means.slice(-LISTED)))),
    heldOut:
      evaluations.length === 0
        ? null
        : { mean: estimate(evaluations.map(meanOf)), readShare: mean(evaluations.map(({ readShare }) => readShare)) },
    validShare: late.length === 0 ? null : mean(late.map(({ validShare }) => validShare)),
    entropy: entropies.length === 0 ? null : mean(entropies),
    alarms: [...times].map(([alarm, count]) => `${alarm} × ${count}`),
    cpu: cpus.length === 0 ? null : mean(cpus),
  };
}
