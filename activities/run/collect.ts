import { ApplicationFailure } from '@temporalio/activity';
import type { Run } from '../../db/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Compute, RunEnd } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';

/** What a stored end holds beyond the supervisor's words. */
export interface StoredEnd extends RunEnd {
  missing: string[];
  tooLarge: string[];
  /** Immutable files that the run changed. */
  changed: string[];
  /** What is wrong with the stage that it was made from; missing where nothing is. */
  damaged?: string;
  /** Whether that stage was out of its place before the run ended. */
  aside?: boolean;
  /** Its host was booted since the run began; missing in ends from before. */
  rebooted?: boolean;
}

/** Files that a run may leave behind, each within its bound. */
export const artefactsOf = ({ run }: Task): { path: string; maxBytes: number }[] =>
  run.artefacts.map(({ path, maxMb }) => ({ path, maxBytes: Math.round(maxMb * 1024 * 1024) }));

/** Brings exit state, log tail and artefacts of an ended run into the database, fenced by the monitor's number. */
export async function collectRun(from: {
  deps: ActivityDeps;
  compute: Compute;
  task: Task;
  key: { trialId: string; placement: number };
  run: Run;
  /** Whoever else has stored an end is right. */
  first?: boolean;
}): Promise<StoredEnd> {
  const { deps, compute, task, key, run, first = false } = from;
  const collected = await compute.collect(key, { artefacts: artefactsOf(task), stdout: task.metric.from === 'stdout' });
  const { missing, tooLarge, changed, damaged, aside = false, rebooted = false } = collected;
  // A run that nothing confined could have written its own end: what its host gives is asked of the host, too.
  const mode = task.run.sandbox === 'none' ? 'none' : 'preferred';
  const sandboxed = collected.end.sandboxed && (await compute.protections(mode)).sandboxed;
  const end: StoredEnd = {
    ...collected.end,
    ...{ sandboxed, missing, tooLarge, changed },
    ...(damaged === undefined ? {} : { damaged }),
    ...(aside ? { aside } : {}),
    ...(rebooted ? { rebooted } : {}),
  };
  const saved = await deps.store.run.saveRunEnd({
    ...key,
    follower: run.follower,
    end,
    logTail: collected.logTail,
    seconds: collected.end.wallSeconds,
    artefacts: collected.artefacts,
    ...(collected.stdoutTail === undefined ? {} : { stdoutTail: collected.stdoutTail }),
    first,
  });
  if (!saved) throw ApplicationFailure.retryable('a newer monitor took over, or an end is stored', 'Fenced');
  return end;
}
