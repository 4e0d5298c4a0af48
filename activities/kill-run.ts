import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';
import { orHostFails } from './at-host.ts';
import { removeRuns } from './remove-runs.ts';

/** Longest waits for the host of a run that has ended: one that answers, which may have to kill what ignores TERM, or another. */
const ANSWERS_MS = 60_000;
const AWAY_MS = 5000;
/** A host that is well is seen by somebody twice as often at least. */
const SEEN_SECONDS = 60;
const NEVER_SECONDS = 1e9;

/**
 * Kills the run of a placement if it is still there, and waits until it is gone; a host that is away does it later, one that
 * left the fleet where it is named again.
 */
export async function killRun(
  deps: ActivityDeps,
  key: { trialId: string; placement: number; fence?: number },
): Promise<void> {
  const run = await deps.store.findRun(key);
  if (!run) return;
  const work = async (): Promise<void> => {
    await deps.computeOf(run.host).kill(key, Math.max(run.fence, key.fence ?? 0));
    await deps.store.closeRun(key);
    await removeRuns(deps, { ...key, host: run.host });
  };
  // No run is left to kill, but what answered for it may be: its host may be away, or have left the fleet, and is not waited for long.
  if (run.endedAt !== null && !deps.isOwnHost(run.host))
    return within((await isThere(deps, run.host)) ? ANSWERS_MS : AWAY_MS, work);
  await orHostFails(deps, run.host, {
    work,
    // Its slot may go to others: before anything is placed there again, this run is ended.
    otherwise: async () => undefined,
  });
}

/** By all workers: this one may never have spoken to it. */
const isThere = async (deps: ActivityDeps, host: string): Promise<boolean> =>
  ((await deps.store.hostAway({ name: host, heardSecondsAgo: NEVER_SECONDS })) ?? Infinity) <= SEEN_SECONDS;

/** Does it as well as it can in the time that somebody waits; it goes on by itself. */
async function within(ms: number, work: () => Promise<void>): Promise<void> {
  const tried = work().catch((error: unknown) => {
    log.warn('a run could not be cleared', { error: String(error) });
  });
  await Promise.race([tried, sleep(ms, undefined, { ref: false })]);
}
