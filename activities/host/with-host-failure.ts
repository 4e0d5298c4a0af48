import { ApplicationFailure, Context, log } from '@temporalio/activity';
import { failedHost } from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { createFailureLimit, type FailureLimit } from '../../domain/fleet/failure-limit.ts';
import type { ActivityDeps } from '../deps.ts';

/** Pause before a host that failed during an activity is called again. */
const RETRY_AFTER = '3 seconds';

/**
 * Time of repeated failures after which a reachable host counts as unable to do its work for a run. The limit is a
 * time, not a number of attempts: outages, deploys and dead workers take attempts, too. A new worker starts counting
 * again.
 */
const LIMIT_MS = 600_000;
const ASKING = createFailureLimit(LIMIT_MS);
/** The same limit for following a run. Following fails at once if it fails, so an hour without a failure went well. */
export const FOLLOWING = createFailureLimit(LIMIT_MS, { forgetMs: 3_600_000 });

/**
 * Runs work on a host. If the host fails, puts it in quarantine and returns the result of `otherwise`; so, without a
 * quarantine, if the host has left the fleet for good. Other errors are rethrown.
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
      log.warn('a host has left the fleet; nothing more is requested from it', { host });
      return otherwise(`host ${host} has left the fleet`, error);
    }
    // A run that is gone is no fault of its host, which works and was only cleared.
    if (!isFault(error, 'run-gone')) await deps.store.host.noteHostFailure({ name: host, message });
    return otherwise(message, error);
  }
}

/** Reads from the database if a host has left the fleet: a new worker knows no host, and no worker all hosts. */
const isGoneForGood = async (deps: ActivityDeps, { host, error }: { host: string; error: unknown }): Promise<boolean> =>
  isFault(error, 'host-unknown') && (await deps.store.host.isForgotten(host));

/** `gone`: the host has been away for too long, or has left the fleet. `lost`: the host answers and lost the run. */
export type HostLoss = 'gone' | 'lost';

interface WorkOnHost<T> {
  work: () => Promise<T>;
  lost: (loss: HostLoss) => Promise<T>;
  patience?: FailureLimit;
}

/**
 * Runs work on a host and waits, by a retryable failure, for a host that is away, since its run goes on there. Returns
 * the result of `lost` if the run is gone, or the host has been away or failing for too long.
 */
export async function withHostLoss<T>(
  deps: ActivityDeps,
  host: string,
  { work, lost, patience = ASKING }: WorkOnHost<T>,
): Promise<T> {
  return withHostFailure(deps, host, {
    work,
    otherwise: async (message, error) => {
      // The run cannot come back.
      if (isFault(error, 'host-unknown')) return lost('gone');
      if (isFault(error, 'run-gone')) return lost('lost');
      // The host answers, but cannot do its work.
      if (isFault(error, 'host-unusable') && patience.isOver(activityKey(), Date.now())) return lost('lost');
      const away = await deps.store.host.secondsSinceContact({
        name: host,
        secondsSinceAnswer: deps.hosts.secondsSinceAnswer(host),
      });
      if (away !== undefined && away >= deps.hosts.lostAfter(host)) return lost('gone');
      throw ApplicationFailure.create({ message, type: 'HostAway', nextRetryDelay: RETRY_AFTER });
    },
  });
}

const activityKey = (): string => {
  const { workflowExecution, activityId } = Context.current().info;
  return `${workflowExecution?.runId}/${activityId}`;
};
