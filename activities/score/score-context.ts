import type { Trial } from '../../db/trial/proposal.ts';
import type { Run } from '../../db/run/run.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import type { Feedback } from '../../domain/metric/feedback.ts';
import type { Failure, TrialStatus } from '../../domain/trial.ts';
import type { StoredEnd } from '../run/collect.ts';
import type { ActivityDeps } from '../deps.ts';

/** The score of a run, or the reason why it has none, before the gate. */
export type Scored =
  | {
      ok: true;
      value: number;
      metrics: Record<string, number>;
      notes: string | null;
      /** Cases that the evaluator reported. */
      feedback?: Feedback | null;
      /** True if the program that answered was in no sandbox, even if its run was in one. */
      exposed?: boolean;
      /** Artefact that executed code when loaded, in words: it could have reported any value. */
      artefactCode?: string;
    }
  | {
      ok: false;
      status: TrialStatus;
      failure: Failure;
      notes?: string;
      /** Reason why the network may have caused the failure, in words. */
      doubt?: string;
      /** Artefact that may have executed code when loaded, in words. */
      artefactCode?: string;
    };

export interface ScoreContext {
  deps: ActivityDeps;
  trial: Trial;
  version: TaskVersion;
  run: Run;
  end: StoredEnd;
}
