import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { failedHost } from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { createFailureLimit, type FailureLimit } from '../../domain/fleet/failure-limit.ts';
import type { ActivityDeps } from '../deps.ts';

/** Pause before a host that failed in the middle of something is asked again. */
const RETRY_AFTER = '3 seconds';

/**
 * A host that answers, and cannot do what is asked for this run, never will after ten minutes of it. Not after so many attempts:
 * outages, deploys and dead workers take some, too. A worker that starts has all its patience again.
 */
const LIMIT_MS = 600_000;
const ASKING = createFailureLimit(LIMIT_MS);
/** … of following a run, which fails at once where it does: an hour without a failure was followed well, however often it failed. */
export const FOLLOWING = createFailureLimit(LIMIT_MS, { forgetMs: 3_600_000 });

/**
 * Where the host fails, it is taken out for a while, and `otherwise` says how the trial goes on, as it does for a host that left
 * the fleet for good; other errors pass.
 */
export async function withHostFailure<T>(
  deps: ActivityDeps,
  host: string,
  { work, otherwise }: { work: () => Promise<T>; otherwise: (message: string, error: unknown) => Promise<T> },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = failedHost(error);
    if (message === null) {
      if (!(await isGoneForGood(deps, { host, error }))) throw error;
      log.warn('a host has left the fleet, and is asked for nothing any more', { host });
      return otherwise(`host ${host} has left the fleet`, error);
    }
    // A run that is gone says nothing against its host: that one works, and was only cleared.
    if (!isFault(error, 'run-gone')) await deps.store.host.noteHostFailure({ name: host, message });
    return otherwise(message, error);
  }
}

/** The database tells: a worker that has just begun knows no host, and one of another machine not its own. */
const isGoneForGood = async (deps: ActivityDeps, { host, error }: { host: string; error: unknown }): Promise<boolean> =>
  isFault(error, 'host-unknown') && (await deps.store.host.isForgotten(host));

/** What runs on a host that is away goes on there: it is waited for, but not for ever. */
export async function withHostLoss<T>(
  deps: ActivityDeps,
  host: string,
  { work, lost, patience = ASKING }: { work: () => Promise<T>; lost: () => Promise<T>; patience?: FailureLimit },
): Promise<T> {
  return withHostFailure(deps, host, {
    work,
    otherwise: async (message, error) => {
      // Nothing brings it back.
      if (isFault(error, 'run-gone') || isFault(error, 'host-unknown')) return lost();
      // The host was reached, and could not do what was asked.
      if (isFault(error, 'host-unusable') && patience.isOver(activityKey(), Date.now())) return lost();
      const away = await deps.store.host.secondsSinceContact({
        name: host,
        heardSecondsAgo: deps.hosts.heardSecondsAgo(host),
      });
      if (away !== undefined && away >= deps.hosts.lostAfter(host)) return lost();
      throw ApplicationFailure.create({ message, type: 'HostAway', nextRetryDelay: RETRY_AFTER });
    },
  });
}

const activityKey = (): string => {
  const { workflowExecution, activityId } = Context.current().info;
  return `${workflowExecution?.runId}/${activityId}`;
};
