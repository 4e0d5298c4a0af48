import type { FollowedRun } from '../../../db/run/run.ts';
import { failedHost } from '../../../domain/fault/attribute.ts';
import type { Compute, RunLimits, RunRef } from '../../../infra/compute.ts';

/** How much longer than it may a run is seen under way before it is ended from here: its supervisor may be stopped. */
const OVERDUE_SECONDS = 120;
/** Between two questions to a host that does not find it so. */
const ASK_SECONDS = 60;
const WHY = 'its supervisor did not end it at its limit of wall clock; somebody may have stopped that';

interface Watched {
  compute: Pick<Compute, 'inspect' | 'kill'>;
  limits: Pick<RunLimits, 'wallSeconds' | 'graceSeconds'>;
  key: RunRef;
  run: Pick<FollowedRun, 'fence' | 'secondsAgo'>;
}

/** Ends a run that goes on long after its limit. */
export interface Overdue {
  /** The run was seen under way. */
  markPolled(): void;
  /** Why it is lost, where it was ended from here. */
  why(): string | undefined;
  /** Resolves when nothing of this is under way. */
  done(): Promise<void>;
}

/** Of a run without a limit. */
const NEVER: Overdue = { markPolled: () => undefined, why: () => undefined, done: () => Promise.resolve() };

/**
 * Asks the host where a run seems overdue by the clock of the database, which anybody may have set: the host counts by one that
 * nobody sets, as the supervisor does. Where it cannot say, all of that time has to pass in this process.
 */
export function createOverdue({ compute, limits, key, run }: Watched, fail: (error: unknown) => void): Overdue {
  const { wallSeconds, graceSeconds } = limits;
  if (wallSeconds === null) return NEVER;
  const most = wallSeconds + graceSeconds + OVERDUE_SECONDS;
  const now = (): number => performance.now() / 1000;
  const began = now();
  // Before its launch is no time: that clock was put back.
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
