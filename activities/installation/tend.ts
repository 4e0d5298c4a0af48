import type { ActivityDeps } from '../deps.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { deliverMessages } from './deliver-messages.ts';
import { makeDigests } from './make-digests.ts';

export const createInstallationActivities = (deps: ActivityDeps) => ({
  /**
   * Does what an installation needs once a minute, whatever researches run: records what needs a person, makes daily
   * reports that are due, and delivers messages. If nothing changed, it writes nothing.
   */
  tend: (): Promise<void> =>
    withHeartbeat(async (signal) => {
      const { notify } = deps.store;
      await notify.recordNeeds({ now: await notify.readClock() });
      const sinks = await notify.readSinks();
      if (sinks.length === 0) return;
      await makeDigests(deps, { sinks, now: await notify.readClock() });
      await deliverMessages(deps, { sinks, now: await notify.readClock(), signal });
    }),
});
