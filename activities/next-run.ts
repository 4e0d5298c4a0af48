import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { RunLeftover } from '../db/run/run-leftovers.ts';
import { describeRunEnd } from '../domain/job/describe-run-end.ts';
import { restartPause } from '../domain/job.ts';
import type { RunEnd } from '../infra/compute.ts';
import { wrapInHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';

/** Ended runs of a server whose directories and output stay, for a person to look at. */
const KEPT = 3;

/** Where a server stands between two of its runs. */
export interface NextRun {
  placement: number;
  /** It holds a slot: its last run is gone on with, or begun. */
  isHeld: boolean;
  /** Seconds until it is begun again. */
  pauseSeconds: number;
  /** How its last run ended, for people; null before the first. */
  last: string | null;
}

/** Longest time for which the next run waits for older ones to be removed. */
const PATIENCE_MS = 5000;
type Patience = () => Promise<unknown>;
type Key = { trialId: string; placement: number };

export const createNextRunActivities = (
  deps: ActivityDeps,
  patience: Patience = () => sleep(PATIENCE_MS, undefined, { ref: false }),
) => ({
  /** Tells which run of a server comes next, and when; what its older runs left is removed. */
  nextRun: wrapInHeartbeat(async ({ jobId }: { jobId: string }): Promise<NextRun> => {
    const { job } = await deps.store.job.loadJob(jobId);
    if (job.spec.shape !== 'without-an-end') throw new Error(`Expected job ${jobId} to be a server, came ${job.kind}`);
    const { restart } = job.spec;
    // One that says that it serves and dies soon is no better than one that never says it.
    const last = await deps.store.job.findLastRun({ jobId, goodSeconds: restart.mostSeconds });
    const isHeld = (await deps.store.slot.findLease(jobId)) !== undefined;
    if (isHeld || !last) return { placement: last?.placement ?? 0, isHeld, pauseSeconds: 0, last: null };
    await dropOlder(deps, { trialId: jobId, placement: last.placement - KEPT }, patience);
    deps.reach('restart-due');
    const pause = restartPause(restart, last.failed);
    return {
      ...{ placement: last.placement + 1, isHeld },
      pauseSeconds: Math.min(pause, Math.max(0, pause - (last.secondsAgo ?? 0))),
      last: `${describeRunEnd(last.end as RunEnd | null)} on ${last.host}`,
    };
  }),
});

/** Output of older runs goes first: their hosts may be out of reach for good. */
async function dropOlder(deps: ActivityDeps, upTo: Key, patience: Patience): Promise<void> {
  await deps.store.run.forgetOutputs(upTo);
  const older = await deps.store.run.findOlderRuns(upTo);
  let isOver = false;
  await Promise.race([removeEach(deps, older, () => isOver), patience()]);
  isOver = true;
}

/** A directory that cannot be removed now is tried again before the next run. */
async function removeEach(deps: ActivityDeps, older: readonly RunLeftover[], isOver: () => boolean): Promise<void> {
  for (const { trialId, placement, host } of older) {
    if (isOver()) return;
    try {
      await deps.hosts.computeOf(host).remove({ trialId, placement });
      await deps.store.run.noteRemoved({ trialId, placement });
    } catch (error) {
      log.warn('a run directory could not be removed', { trialId, placement, host, error: String(error) });
    }
  }
}
