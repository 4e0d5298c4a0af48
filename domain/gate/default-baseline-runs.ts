import { KEEPS, type KeepPolicyName } from '../search/keep.ts';
import type { GateConfig } from './types.ts';

/** Search trials of a budget for each baseline run. */
const TRIALS_PER_RUN = 4;

/**
 * Number of baseline runs if the task sets none. Under noise-gated, a budget below 40 trials gets a quarter of its
 * trials, at least 3: with 10 runs, the baseline would cost as much as the search. `budgetTrials` is undefined for a
 * research without a limit.
 */
export function defaultBaselineRuns(
  policy: KeepPolicyName,
  budgetTrials: number | undefined,
): Pick<GateConfig, 'baselineRuns' | 'baselineRunsIfTied'> {
  const { baselineRuns: most, leastAsked } = KEEPS[policy];
  const runs = Math.ceil((budgetTrials ?? Infinity) / TRIALS_PER_RUN);
  const baselineRuns = Math.min(most, Math.max(leastAsked, runs));
  return baselineRuns === most ? { baselineRuns } : { baselineRuns, baselineRunsIfTied: most };
}
