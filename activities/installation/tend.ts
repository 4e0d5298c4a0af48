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
      // A row that one part cannot read must not stop the others. The workflow repeats all parts after a failure.
      const parts = [
        async () => void (await notify.recordNeeds({ now: await notify.readClock() })),
        async () => makeDigests(deps, { sinks: await notify.readSinks(), now: await notify.readClock() }),
        async () => {
          const sinks = await notify.readSinks();
          if (sinks.length > 0) await deliverMessages(deps, { sinks, now: await notify.readClock(), signal });
        },
      ];
      const failures: unknown[] = [];
      for (const part of parts) await part().catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    }),
});
