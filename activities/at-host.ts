import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';

/** Pause before a host that failed in the middle of something is asked again. */
const RETRY_AFTER = '3 seconds';

/** A host that was in contact so lately does answer. */
const ANSWERS_SECONDS = 60;
/** Attempts after which a host that answers will not do it: ten minutes of them at the least. */
const TRIES = 200;

/** Where the host fails, it is taken out for a while, and `otherwise` says how the trial goes on; other errors pass. */
export async function orHostFails<T>(
  deps: ActivityDeps,
  host: string,
  { work, otherwise }: { work: () => Promise<T>; otherwise: (message: string) => Promise<T> },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = deps.hostFault(error);
    if (message === null) throw error;
    await deps.store.hostFailed({ name: host, message });
    return otherwise(message);
  }
}

/** What runs on a host that is away goes on there: it is waited for, but not for ever. */
export async function unlessAwayTooLong<T>(
  deps: ActivityDeps,
  host: string,
  { work, lost }: { work: () => Promise<T>; lost: () => Promise<T> },
): Promise<T> {
  return orHostFails(deps, host, {
    work,
    otherwise: async (message) => {
      const away = await deps.store.hostAway({ name: host, heardSecondsAgo: deps.heardSecondsAgo(host) });
      if (away !== undefined && away >= deps.lostAfter(host)) return lost();
      // It answers, and what we ask for this run fails there again and again.
      if (away !== undefined && away < ANSWERS_SECONDS && Context.current().info.attempt >= TRIES) return lost();
      throw ApplicationFailure.create({ message, type: 'HostAway', nextRetryDelay: RETRY_AFTER });
    },
  });
}
