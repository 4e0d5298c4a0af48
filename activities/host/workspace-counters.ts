import { ApplicationFailure } from '@temporalio/activity';
import type { Lease } from '../../db/slot/slots.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { MOST_SETUPS_PER_HOST } from '../../domain/fleet/preparing.ts';
import type { PickDeps } from '../deps.ts';

/** Launches under one lease that find their workspace damaged after which its host is taken to keep none whole. */
const DAMAGES = 3;

/**
 * Counts, on this worker, the launches of each lease that found the workspace damaged, or gone, since it was staged for them:
 * the last one throws a `WorkspaceNotKept`.
 */
export function createDamageCounter() {
  const damages = new Map<string, number>();
  return async <T extends { state: string }>(
    { trialId, lease }: { trialId: string; lease: Lease },
    launch: () => Promise<T>,
  ): Promise<T> => {
    const key = `${trialId} ${lease.fence}`;
    try {
      const launched = await launch();
      // `prepare` is no run yet: the launch after it counts on.
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
 * Counts setups of a host that a trial has seen done, and gone when its run was to begin: one too many throws a `WorkspaceNotKept`.
 * A fleet's host counts by its lease, in `setups`. On this machine the slot is free meanwhile, so that no lease can count: this
 * worker does.
 */
export function createSetupCounter(deps: PickDeps<'hosts', 'isOwnHost'>) {
  const own = new Map<string, number>();
  return {
    another: ({ trialId, host, setups }: { trialId: string; host: string; setups: number }): void => {
      const before = deps.hosts.isOwnHost(host) ? (own.get(trialId) ?? 0) : setups;
      own.delete(trialId);
      if (before >= MOST_SETUPS_PER_HOST) throw setupNotKept(host);
      if (deps.hosts.isOwnHost(host)) own.set(trialId, before + 1);
    },
    launched: (trialId: string): void => void own.delete(trialId),
  };
}

/** The host's fault: all that the task runs there before a launch is its setup, which left the workspace whole. */
const notKept = (host: string): ApplicationFailure =>
  notKeptAs(
    `host ${host}: expected it to keep a workspace whole until a run begins; ${DAMAGES} in a row were damaged: ${KEEP_AWAY}`,
  );

/** The host's fault, too: each was done there, and gone when the run was to begin. */
const setupNotKept = (host: string): ApplicationFailure =>
  notKeptAs(
    `host ${host}: expected it to keep what a task's setup made until a run begins; ${MOST_SETUPS_PER_HOST} in a row were gone: ${KEEP_AWAY}`,
  );

const KEEP_AWAY = 'keep what scans or cleans its files away from the folder stages/ where runs are kept';

const notKeptAs = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'WorkspaceNotKept');
