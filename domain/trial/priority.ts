import type { TrialKind } from '../trial.ts';

/**
 * Only a person's own idea goes ahead of others (1 is first, 3 the default). Runs that the gate waits for are admitted first
 * by their research; ahead in the backlog, too, they would keep the other researches of a pool from its slots.
 */
export const PRIORITY: Readonly<Record<TrialKind, number>> = {
  search: 3,
  baseline: 3,
  confirm: 3,
  remeasure: 3,
  injected: 1,
};
