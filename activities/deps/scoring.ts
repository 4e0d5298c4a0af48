import type { Evaluator } from '../../infra/evaluate.ts';
import type { WithinTime } from '../../infra/within-time.ts';

/** What scores runs. */
export interface Scoring {
  evaluator: Evaluator;
  /** Drives what an evaluator asks; made with a secret, so that no run can work it out. */
  evaluatorSeed: (trialId: string) => number;
  /** Runs a task's own expressions on whatever a run prints, for so long at most. */
  withinTime: WithinTime;
}
