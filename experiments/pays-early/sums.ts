import type { ReplayedRun } from '../../domain/abort/replay/types.ts';
import { binomialInterval } from '../../domain/statistics/binomial-interval.ts';

/** Would-be winners and those of them that were stopped, and slot time without and with aborts. */
export interface Sums {
  cases: number;
  hits: number;
  whole: number;
  used: number;
}

export function sumsOf(runs: readonly ReplayedRun[]): Sums {
  const sums = { cases: 0, hits: 0, whole: 0, used: 0 };
  for (const { wouldBeIncumbent, aborted, whole, used } of runs) {
    sums.whole += whole;
    sums.used += used;
    if (!wouldBeIncumbent) continue;
    sums.cases += 1;
    if (aborted) sums.hits += 1;
  }
  return sums;
}

/** "1.27" and "1.4 % of 262 (under 3.3 %)": the gain, and the share of would-be winners that were stopped. */
export function wordsOf({ cases, hits, whole, used }: Sums): [gain: string, lost: string] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const under = binomialInterval(hits, Math.max(1, cases), 0.95).high;
  return [(whole / used).toFixed(2), `${percent(hits / Math.max(1, cases))} of ${cases} (under ${percent(under)})`];
}
