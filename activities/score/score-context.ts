import type { Trial } from '../../db/trial/proposal.ts';
import type { Run } from '../../db/run/run.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Failure, TrialStatus } from '../../domain/trial.ts';
import type { StoredEnd } from '../run/collect.ts';
import type { ActivityDeps } from '../deps.ts';

/** What a run was worth, before the gate sees it. */
export type Scored =
  | {
      ok: true;
      value: number;
      metrics: Record<string, number>;
      notes: string | null;
      /** True where a program answered that no sandbox held, whatever held its run. */
      exposed?: boolean;
    }
  | {
      ok: false;
      status: TrialStatus;
      failure: Failure;
      notes?: string;
      /** Why it may be the network's. */
      doubt?: string;
    };

export interface ScoreContext {
  deps: ActivityDeps;
  trial: Trial;
  version: TaskVersion;
  run: Run;
  end: StoredEnd;
}
