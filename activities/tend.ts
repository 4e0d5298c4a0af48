import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { deliverMessages } from './notify/deliver-messages.ts';
import { makeDigests } from './notify/make-digests.ts';

export const createTendActivities = (deps: ActivityDeps) => ({
  /**
   * Does what an installation needs once a minute, whatever researches run: makes daily reports that are due, and
   * delivers messages. Without sinks it writes nothing.
   */
  tend: (): Promise<void> =>
    withHeartbeat(async (signal) => {
      const sinks = await deps.store.notify.readSinks();
      if (sinks.length === 0) return;
      const now = await deps.store.notify.readClock();
      await makeDigests(deps, { sinks, now });
      await deliverMessages(deps, { sinks, now: await deps.store.notify.readClock(), signal });
    }),
});
