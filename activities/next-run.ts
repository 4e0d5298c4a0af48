import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { RunLeftover } from '../db/run/run-leftovers.ts';
import { describeRunEnd } from '../domain/job/describe-run-end.ts';
import { restartPause } from '../domain/job.ts';
import type { RunEnd } from '../infra/compute.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';

/** Ended runs of a server whose directories and output are kept for people to read. */
const KEPT = 3;

/** The next run of a server. */
export interface NextRun {
  placement: number;
  /** True if the server holds a slot, with a run that is under way or about to begin. */
  isHeld: boolean;
  /** Seconds until the next run may begin. */
  pauseSeconds: number;
  /** End of the last run, in words for people; null before the first. */
  last: string | null;
}

/** Longest time that the next run waits for the removal of older run directories. */
const MOST_REMOVAL_MS = 5000;
type Patience = () => Promise<unknown>;
type Key = { jobId: string; placement: number };

export const createNextRunActivities = (
  deps: ActivityDeps,
  patience: Patience = () => sleep(MOST_REMOVAL_MS, undefined, { ref: false }),
) => ({
  /** Returns the placement of a server's next run and the pause before it. Removes leftovers of older runs. */
  nextRun: wrapInHeartbeat(async ({ jobId }: { jobId: string }): Promise<NextRun> => {
    const { job } = await deps.store.job.loadJob(jobId);
    if (job.spec.shape !== 'without-an-end') throw new Error(`Expected job ${jobId} to be a server, got ${job.kind}`);
    const { restart } = job.spec;
    // A run that dies within `mostSeconds` of becoming ready counts as failed, too.
    const last = await deps.store.job.findLastRun({ jobId, goodSeconds: restart.mostSeconds });
    const isHeld = (await deps.store.slot.findLease(jobId)) !== undefined;
    if (isHeld || !last) return { placement: last?.placement ?? 0, isHeld, pauseSeconds: 0, last: null };
    await dropOlder(deps, { jobId, placement: last.placement - KEPT }, patience);
    deps.reach('restart-due');
    const pause = restartPause(restart, last.failed);
    return {
      placement: last.placement + 1,
      isHeld,
      pauseSeconds: Math.min(pause, Math.max(0, pause - (last.secondsAgo ?? 0))),
      last: `${describeRunEnd(last.end as RunEnd | null)} on ${last.host}`,
    };
  }),
});

/**
 * Removes runs up to a placement. Deletes their stored output first, since their directories may never be removable.
 */
async function dropOlder(deps: ActivityDeps, upTo: Key, patience: Patience): Promise<void> {
  await deps.store.run.forgetOutputs(upTo);
  const older = await deps.store.run.findOlderRuns(upTo);
  let isOver = false;
  await Promise.race([removeEach(deps, older, () => isOver), patience()]);
  isOver = true;
}

/** Removes run directories. A directory that cannot be removed is tried again before the next run. */
async function removeEach(deps: ActivityDeps, older: readonly RunLeftover[], isOver: () => boolean): Promise<void> {
  for (const { jobId, placement, host } of older) {
    if (isOver()) return;
    try {
      await deps.hosts.computeOf(host).remove({ jobId, placement });
      await deps.store.run.noteRemoved({ jobId, placement });
    } catch (error) {
      log.warn('a run directory could not be removed', { jobId, placement, host, error: String(error) });
    }
  }
}
