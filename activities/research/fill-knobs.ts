import { withHeartbeat } from '../with-heartbeat.ts';
import type { ActivityDeps, PickStatements } from '../deps.ts';
import { readKnobs } from '../propose/read-knobs.ts';

/** Candidates whose files are held in memory at once. */
const BATCH = 100;
/** Seconds after which a call returns and leaves the rest to the next call, so that no call nears its time limit. */
const SECONDS = 20;

const LOST =
  'the database has lost files of earlier candidates, so proposers receive these candidates ' +
  'without values of their knobs; restore the tables candidates and blobs from a backup if you need these values';

/** Reports whether candidates of a research have no stored knobs under the version of its task that it runs. */
export const hasUnread = async (
  { store }: PickStatements<'trial', 'findUnread'>,
  { id: researchId, taskHash }: { id: string; taskHash: string },
): Promise<boolean> => (await store.trial.findUnread({ researchId, taskHash, limit: 1 })).length > 0;

export const createFillKnobsActivities = (
  { store }: Pick<ActivityDeps, 'store'>,
  { seconds = SECONDS }: { seconds?: number } = {},
) => ({
  /**
   * Stores knobs, batch by batch, of candidates whose older version stored none. A repeated call goes on with the rest.
   * `left`: more may be left. A candidate whose files are lost gets an empty set of values, and an alert: without a
   * stored set it would be found again without end.
   */
  fillKnobs: ({ researchId }: { researchId: string }): Promise<{ left: boolean }> =>
    withHeartbeat(async (signal) => {
      const until = Date.now() + seconds * 1000;
      const research = await store.research.findResearch(researchId);
      if (!research) throw new Error(`Expected research ${researchId} in the database`);
      const { taskHash } = research;
      const version = await store.task.loadTaskVersion(taskHash);
      for (;;) {
        const candidateIds = await store.trial.findUnread({ researchId, taskHash, limit: BATCH });
        const { read, lost } = await readKnobs(store, { candidateIds, version });
        // The alert first: a death in between repeats the batch, and the alert is stored once.
        if (lost.length > 0) await store.research.insertAlert({ researchId, message: LOST, once: true });
        await store.trial.fillKnobs({ researchId, taskHash, read });
        const left = candidateIds.length === BATCH;
        if (!left || signal.aborted || Date.now() >= until) return { left };
      }
    }),
});
