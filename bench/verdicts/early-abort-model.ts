import type { AuditPlan } from '../../domain/abort/audit/audit-plan.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { normalCdf } from '../../domain/statistics/normal.ts';

/** Completed runs before the first stop; `matched-time` needs ten, and its second test thirty. */
const PEERS = 20;

/** Model of early abort by the probability of its decisions, since a simulated run has no curve. */
export interface EarlyAbortModel {
  /** Probability that the rule wants to stop a run, by its end above the bar in sd of one run. */
  wish: (above: number) => number;
  /** Audit, which lets some of the would-be stops run to their end. */
  audit: AuditPlan;
  /** Cost of a stopped run, as a share of a whole one. */
  cost: number;
}

/** Stops a share of the runs below the bar, and a share of those above, at any distance. */
export const stopByShare = (below: number, above: number) => (gap: number) => (gap < 0 ? below : above);

/** Forecasts the end with the error `blur`, and stops a run if 2 % of the runs that end at the bar look so bad. */
export const stopByNoisyForecast = (blur: number) => (gap: number) => normalCdf((-gap - 2.054 * blur) / blur);

/**
 * Creates the function that decides whether a run is stopped. It has its own random stream, so that researches without
 * early abort are not changed.
 */
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
