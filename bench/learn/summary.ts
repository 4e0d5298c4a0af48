import { mean, sampleStandardDeviation } from 'simple-statistics';
import { upperQuantile } from '../../domain/statistics/student-t.ts';
import type { Update } from './read.ts';

/** Updates at either end of which means are told. */
const SOME = 5;

/** The figures of one repeat. */
export interface RepeatResult {
  seed: number;
  means: number[];
  /** Empty where there is no model. */
  updates: Update[];
  /** Null where it was not measured. */
  cpu: number | null;
}

/** Mean over repeats with its 95 % interval (Student's t); half of it is null for a single one. */
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
  /** Of the last updates; null where there is no model. */
  legal: number | null;
  entropy: number | null;
  /** Each gate with the times that it fired, over all repeats. */
  gates: string[];
  /** Mean of the repeats of which it is known. */
  cpu: number | null;
}

export function summarize(name: string, repeats: readonly RepeatResult[]): Summary {
  const late = repeats.flatMap(({ updates }) => updates.slice(-SOME));
  const entropies = late.flatMap(({ entropy }) => (entropy === null ? [] : [entropy]));
  const cpus = repeats.flatMap(({ cpu }) => (cpu === null ? [] : [cpu]));
  const times = new Map<string, number>();
  for (const gate of repeats.flatMap(({ updates }) => updates.flatMap(({ gates }) => gates)))
    times.set(gate, (times.get(gate) ?? 0) + 1);
  return {
    name,
    seeds: repeats.length,
    first: estimate(repeats.map(({ means }) => mean(means.slice(0, SOME)))),
    last: estimate(repeats.map(({ means }) => mean(means.slice(-SOME)))),
    legal: late.length === 0 ? null : mean(late.map(({ legal }) => legal)),
    entropy: entropies.length === 0 ? null : mean(entropies),
    gates: [...times].map(([gate, count]) => `${gate} × ${count}`),
    cpu: cpus.length === 0 ? null : mean(cpus),
  };
}
