import { ApplicationFailure } from '@temporalio/activity';
import type { Lease } from '../../db/slot/slots.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { MOST_SETUPS_PER_HOST } from '../../domain/fleet/preparing.ts';
import type { PickDeps } from '../deps.ts';

/** Launches under one lease with a damaged workspace after which the host counts as unable to keep a workspace. */
const DAMAGES = 3;

/**
 * Counts, on this worker, launches in a row of a lease whose workspace was damaged or removed after it was staged. The
 * launch that reaches {@link DAMAGES} throws `WorkspaceNotKept`.
 */
export function createDamageCounter() {
  const damages = new Map<string, number>();
  return async <T extends { state: string }>(
    { jobId, lease }: { jobId: string; lease: Lease },
    launch: () => Promise<T>,
  ): Promise<T> => {
    const key = `${jobId} ${lease.fence}`;
    try {
      const launched = await launch();
      // After `prepare` no run has begun: the next launch continues the count.
      if (launched.state !== 'prepare') damages.delete(key);
      return launched;
    } catch (error) {
      if (!isFault(error, 'stage-missing')) throw error;
      const count = (damages.get(key) ?? 0) + 1;
      damages.set(key, count);
      if (count < DAMAGES) throw error;
      damages.delete(key);
      throw notKept(lease.host);
    }
  };
}

/**
 * Counts setups for a trial on a host that were done and gone again before the run began. One more than {@link
 * MOST_SETUPS_PER_HOST} throws `WorkspaceNotKept`. On a host of the fleet the workflow counts, in `setups`, while it
 * holds the lease. On this machine the slot is freed during the setup, so this worker counts.
 */
export function createSetupCounter(deps: PickDeps<'hosts', 'isOwnHost'>) {
  const setupsHere = new Map<string, number>();
  return {
    another: ({ jobId, host, setups }: { jobId: string; host: string; setups: number }): void => {
      const before = deps.hosts.isOwnHost(host) ? (setupsHere.get(jobId) ?? 0) : setups;
      setupsHere.delete(jobId);
      if (before >= MOST_SETUPS_PER_HOST) throw setupNotKept(host);
      if (deps.hosts.isOwnHost(host)) setupsHere.set(jobId, before + 1);
    },
    launched: (jobId: string): void => void setupsHere.delete(jobId),
  };
}

/** A fault of the host: before a launch the task runs only its setup there, and that left the workspace intact. */
const notKept = (host: string): ApplicationFailure =>
  notKeptAs(
    `host ${host}: expected a workspace to stay intact until a run begins; ` +
      `${DAMAGES} in a row were damaged. ${KEEP_AWAY}`,
  );

/** A fault of the host: each setup was done there, and gone when the run was to begin. */
const setupNotKept = (host: string): ApplicationFailure =>
  notKeptAs(
    `host ${host}: expected what a task's setup made to stay until a run begins; ` +
      `${MOST_SETUPS_PER_HOST} in a row were gone. ${KEEP_AWAY}`,
  );

const KEEP_AWAY = 'Exclude the folder stages/ of Perpetua from programs that scan or clean files';

const notKeptAs = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'WorkspaceNotKept');
