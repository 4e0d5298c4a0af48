import { eq } from 'drizzle-orm';
import { beginProposal } from '../../../../activities/propose/begin.ts';
import { researches } from '../../../../db/schema.ts';
import type { Task } from '../../../../domain/task/task.ts';
import { insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import type { useDatabase } from '../../../db/support.ts';

export const GRPO = { name: 'grpo', batch: 2, group: 2, gates: [] };

/** Settings of a search whose policy learns so. */
export const search = (update: object | string, proposer: object | string = 'policy') => ({
  ...TASK.search,
  ...{ proposer, update, parent: 'original', reward: { name: 'improvement', failed: -1, rejected: -1 } },
});

/** Researches that learn, in a database of its own. */
export function useLearning(bench: Pick<ReturnType<typeof useDatabase>, 'db' | 'store'>) {
  return {
    /** A research that learns by batches of two, whose baseline is measured. */
    learning: async (id: string, update: object | string = GRPO): Promise<void> => {
      const state = await insertResearch(bench.db, id, { proposer: 'policy' });
      const settings = { search: search(update), abort: TASK.abort, keep: TASK.keep } as never;
      const gate = { ...state, calibrating: null };
      await bench.db.update(researches).set({ gate, settings }).where(eq(researches.id, id));
    },
    /** A trial whose proposal has begun. */
    begun: async (id: string, n: number, update: object | string = GRPO) => {
      const none = { candidateId: null, status: null, endedAt: null, proposer: null, parentId: null };
      await storeTrials(bench.db, trialRow(id, n, none));
      const trial = await bench.store.trial.loadTrial(`${id}/${n}`);
      return beginProposal(bench.store, { trial, task: { ...TASK, search: search(update) } as Task });
    },
  };
}
