import { ApplicationFailure } from '@temporalio/activity';
import type { Run } from '../../db/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Compute, RunEnd } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';

/** The end of a run with the findings of its collection. */
export interface StoredEnd extends RunEnd {
  /** Declared artefacts that the run did not leave. */
  missing: string[];
  /** Artefacts above their size limit. */
  tooLarge: string[];
  /** Immutable files that the run changed. */
  changed: string[];
  /** Damage to the stage that the run was copied from, in words; absent if there is none. */
  damaged?: string;
  /** True if that stage was moved away before the run ended. */
  aside?: boolean;
  /** True if the host was booted since the run began; absent from ends of older versions. */
  rebooted?: boolean;
}

/** Artefacts that a run may leave, each with its size limit. */
export const artefactsOf = ({ run }: Task): { path: string; maxBytes: number }[] =>
  run.artefacts.map(({ path, maxMb }) => ({ path, maxBytes: Math.round(maxMb * 1024 * 1024) }));

/** Stores end, log tail and artefacts of an ended run. Throws if a newer monitor follows the run. */
export async function collectRun(from: {
  deps: ActivityDeps;
  compute: Compute;
  task: Task;
  key: { jobId: string; placement: number };
  run: Run;
  /** True: an end that is stored already stands, and the call throws. */
  first?: boolean;
}): Promise<StoredEnd> {
  const { deps, compute, task, key, run, first = false } = from;
  const collected = await compute.collect(key, { artefacts: artefactsOf(task), stdout: task.metric.from === 'stdout' });
  const { missing, tooLarge, changed, damaged, aside = false, rebooted = false } = collected;
  // An unconfined run could have forged its end, so the host's own protections count, too.
  const mode = task.run.sandbox === 'none' ? 'none' : 'preferred';
  const sandboxed = collected.end.sandboxed && (await compute.protections(mode)).sandboxed;
  const end: StoredEnd = {
    ...collected.end,
    sandboxed,
    missing,
    tooLarge,
    changed,
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
