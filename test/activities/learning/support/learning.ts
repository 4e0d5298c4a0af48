import { eq } from 'drizzle-orm';
import { settle } from '../../../../activities/outcome/settle.ts';
import { beginProposal } from '../../../../activities/propose/begin.ts';
import { researches } from '../../../../db/schema.ts';
import type { OutcomeInput } from '../../../../db/trial/outcome.ts';
import type { Task } from '../../../../domain/task/task.ts';
import { insertResearch, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import type { useDatabase } from '../../../db/support.ts';

export const GRPO = { name: 'grpo', batch: 2, group: 2, gates: [] };

/** Settings of a search whose policy learns by `update`. */
export const search = (update: object | string, proposer: object | string = 'policy') => ({
  ...TASK.search,
  proposer,
  update,
  parent: 'original',
  reward: { name: 'improvement', failed: -1, rejected: -1 },
});

const REJECTED = { status: 'rejected', failure: { label: 'unreadable-answer', message: 'none' } } as const;

/** Researches that learn, in a database of its own. */
export function useLearning(bench: Pick<ReturnType<typeof useDatabase>, 'db' | 'store'>) {
  /** A research that learns by batches of two, whose baseline is measured. */
  const learning = async (id: string, update: object | string = GRPO): Promise<void> => {
    const state = await insertResearch(bench.db, id, { proposer: 'policy' });
    const settings = { search: search(update), abort: TASK.abort, keep: TASK.keep } as never;
    const gate = { ...state, calibrating: null };
    await bench.db.update(researches).set({ gate, settings }).where(eq(researches.id, id));
  };
  /** A trial whose proposal has begun. */
  const begun = async (id: string, n: number, update: object | string = GRPO) => {
    const none = { candidateId: null, status: null, endedAt: null, proposer: null, parentId: null };
    await storeTrials(bench.db, trialRow(id, n, none));
    const trial = await bench.store.trial.loadTrial(`${id}/${n}`);
    return beginProposal(bench.store, { trial, task: { ...TASK, search: search(update) } as Task });
  };
  /** A trial whose proposal was drawn. */
  const drawn = async (id: string, n: number, update: object | string = GRPO): Promise<void> => {
    await begun(id, n, update);
    await bench.store.learning.saveSample({
      trialId: `${id}/${n}`,
      policyVersion: 'base',
      promptIds: [1],
      completionIds: [2],
      logprobs: [-1],
      answerTokens: null,
      text: ' 1',
      finishReason: 'stop',
    });
    const { g = 0 } = (await bench.store.learning.findRollout(`${id}/${n}`)) ?? {};
    const prompt = { form: 'text', text: 'x =', start: 'x =' } as const;
    await bench.store.learning.keepFirstPrompt({ researchId: id, g, prompt });
  };
  const end = (id: string, n: number, how: Pick<OutcomeInput, 'status' | 'failure'> = REJECTED) =>
    settle(bench.store, {
      trialId: `${id}/${n}`,
      researchId: id,
      value: null,
      metrics: {},
      evaluatorNotes: null,
      trusted: true,
      ...how,
    });
  /** A trial with a sample and an outcome. */
  const sampled = async (id: string, n: number, update: object | string = GRPO): Promise<void> => {
    await drawn(id, n, update);
    await end(id, n);
  };
  return { learning, begun, drawn, end, sampled };
}
