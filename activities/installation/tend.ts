import type { ActivityDeps } from '../deps.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { deliverMessages } from './deliver-messages.ts';
import { makeDigests } from './make-digests.ts';

export const createInstallationActivities = (deps: ActivityDeps) => ({
  /**
   * Does what an installation needs once a minute, whatever researches run: records what needs a person,
   * delivers messages, and makes daily reports that are due. If nothing changed, it writes nothing.
   */
  tend: (): Promise<void> =>
    withHeartbeat(async (signal) => {
      const { notify } = deps.store;
      const now = await notify.readClock();
      const sinks = await notify.readSinks();
      const steps: (() => Promise<unknown>)[] = [() => notify.recordNeeds({ now })];
      if (sinks.length > 0)
        steps.push(
          async () => deliverMessages(deps, { sinks, now: await notify.readClock(), signal }),
          // Last, since the report of a large research takes a while. The next turn delivers it.
          () => makeDigests(deps, { sinks, now }),
        );
      await inOrder(steps);
    }),
});

/** Runs all steps: a row that one of them cannot read must not stop the others. Then throws the first error. */
async function inOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: { error: unknown }[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push({ error }));
  if (failures[0]) throw failures[0].error;
}
