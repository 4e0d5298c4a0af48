import type { TrialKind } from '../trial.ts';

/**
 * Priorities in Temporal's task queue: 1 is first, 3 the default. Only a person's own idea goes ahead of other trials.
 * A research already admits the gate's runs first; a higher priority would keep other researches in the pool from
 * slots.
 */
export const PRIORITY: Readonly<Record<TrialKind, number>> = {
  search: 3,
  baseline: 3,
  confirm: 3,
  remeasure: 3,
  injected: 1,
  evaluation: 3,
  ablation: 3,
};
