import type { Evaluator } from '../../infra/evaluate.ts';
import type { WithinTime } from '../../infra/within-time.ts';

export interface Scoring {
  evaluator: Evaluator;
  /** HMAC-SHA-256 in hex, with the installation's secret: what drives an evaluator's questions is made with it, so that no run can work it out. */
  hmac: (text: string) => string;
  /** Runs a task's own expressions on whatever a run prints, for so long at most. */
  withinTime: WithinTime;
}
