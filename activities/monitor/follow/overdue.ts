import type { FollowedRun } from '../../../db/run/run.ts';
import { failedHost } from '../../../domain/fault/attribute.ts';
import { backstopSeconds, type RunLimits } from '../../../domain/job/run-limits.ts';
import type { Compute, RunRef } from '../../../infra/compute.ts';

/** Time past its limit after which the worker itself kills a run: the supervisor may have been stopped by a signal. */
const OVERDUE_SECONDS = 120;
/** Pause between two inspections of a run that its host does not find overdue. */
const ASK_SECONDS = 60;
const WHY = 'its supervisor did not end it at its limit of wall clock; somebody may have stopped the supervisor';

interface Watched {
  compute: Pick<Compute, 'inspect' | 'kill'>;
  limits: Pick<RunLimits, 'wallSeconds' | 'graceSeconds'>;
  key: RunRef;
  run: Pick<FollowedRun, 'fence' | 'secondsAgo'>;
}

/** Kills a run that goes on long after its limit of wall clock. */
export interface Overdue {
  /** Records that the run was seen under way, and inspects it if it is due. */
  markPolled(): void;
  /** Reason for the loss of a run that was killed here; undefined if it was not. */
  why(): string | undefined;
  /** Resolves when no inspection or kill is under way. */
  done(): Promise<void>;
}

/** For a run without a limit. */
const NEVER: Overdue = { markPolled: () => undefined, why: () => undefined, done: () => Promise.resolve() };

/**
 * Inspects a run on its host once the run seems overdue by the database's clock. That clock may have been set, so the
 * host decides: like the supervisor, it counts by a clock that cannot be set. If the host does not report the run's
 * age, the whole limit has to pass in this process.
 */
export function createOverdue({ compute, limits, key, run }: Watched, fail: (error: unknown) => void): Overdue {
  const backstop = backstopSeconds(limits);
  if (backstop === null) return NEVER;
  const most = backstop + limits.graceSeconds + OVERDUE_SECONDS;
  const now = (): number => performance.now() / 1000;
  const began = now();
  // A negative age means that the database's clock was put back; it counts as 0.
  let next = began + most - Math.max(0, run.secondsAgo ?? 0);
  let asking: Promise<void> | undefined;
  let ending = false;
  const ask = async (): Promise<void> => {
    const state = await compute.inspect(key).catch((error: unknown) => {
      if (failedHost(error) === null) throw error;
      return undefined;
    });
    if (state?.state !== 'running' || (state.seconds ?? now() - began) <= most) return;
    ending = true;
    await compute.kill(key, run.fence);
  };
  return {
    markPolled: () => {
      if (ending || asking || now() <= next) return;
      asking = ask()
        .catch(fail)
        .finally(() => {
          next = now() + ASK_SECONDS;
          asking = undefined;
        });
    },
    why: () => (ending ? WHY : undefined),
    done: async () => asking,
  };
}
