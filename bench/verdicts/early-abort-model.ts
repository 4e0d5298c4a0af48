import type { AuditPlan } from '../../domain/abort/audit/audit-plan.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { normalCdf } from '../../domain/statistics/normal.ts';

/** Completed runs before anything is stopped; `matched-time` needs ten, and its second test thirty. */
const PEERS = 20;

/** Early abort by its errors alone: a simulated run has no curve. */
export interface EarlyAbortModel {
  /** Probability that the rule wants to stop a run that would end so many sd of one run above the bar. */
  wish: (above: number) => number;
  /** Would-be stops that go on to their end. */
  audit: AuditPlan;
  /** Share of a run that a stopped one has cost. */
  cost: number;
}

/** Stops so many of those below the bar whatever their distance, and so many of those above. */
export const stopByShare = (below: number, above: number) => (gap: number) => (gap < 0 ? below : above);

/** Sees the end with an error of `blur`, and stops where 2 % of those that end at the bar would look like this. */
export const stopByNoisyForecast = (blur: number) => (gap: number) => normalCdf((-gap - 2.054 * blur) / blur);

/** Which runs are stopped. Draws from a stream of its own, so that researches without early abort stay what they were. */
export function createStopper(
  early: EarlyAbortModel | undefined,
  seed: number,
): (above: number, completed: number) => boolean {
  const random = createRandom(seed + 0.5 * 2 ** 32);
  let wishes = 0;
  return (above, completed) => {
    if (!early || completed < PEERS || random.uniform() >= early.wish(above)) return false;
    wishes += 1;
    return wishes > early.audit.first && random.uniform() >= early.audit.share;
  };
}
