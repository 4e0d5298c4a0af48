import { expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { overrideVerdict } from '../../activities/steer.ts';
import { sandboxOf } from '../../activities/task/sandbox-of.ts';
import { readSingleBest } from '../../db/reads/read-best.ts';
import { insertResearch, storeTrials, TASK, trialRow, WINNER } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();

/** A research with a scored search trial 3, and a better run 4 of a variant of its claim 1, which a model wrote. */
async function ablated(id: string): Promise<{ variant: string }> {
  const variant = `${id}-variant`;
  await insertResearch(bench.db, id, { proposer: 'tpe', lastN: 4 });
  await bench.store.trial.saveCandidate({ id: variant, immutableHash: 'i', files: { 'train.mjs': 'x\n' } });
  const scored = { status: 'completed', trusted: true } as const;
  await storeTrials(bench.db, [
    trialRow(id, 3, { ...scored, kind: 'search', proposer: 'llm', candidateId: WINNER, value: 1.5, verdict: 'keep' }),
    trialRow(id, 4, { ...scored, kind: 'ablation', candidateId: variant, value: 1, verdict: 'none' }),
  ]);
  await bench.db.execute(sql`
    insert into claims (research_id, seq, candidate_id, of_trial, value, n, reason)
    values (${id}, 1, ${WINNER}, 3, 1.5, 4, 'won')`);
  await bench.db.execute(sql`
    insert into wanted_runs (research_id, n, kind, candidate_id, proposal)
    values (${id}, 4, 'ablation', ${variant}, '{"key":"k","claim":1,"edit":"train.mjs:1"}')`);
  return { variant };
}

test('a person cannot make a claim of a run of an ablation', async () => {
  await ablated('over');
  const refused = await overrideVerdict(bench.store, { researchId: 'over', n: 4, verdict: 'keep', reason: 'better' });
  expect(refused).toBe('n: expected a trial of the search, trial 4 is of kind ablation, which gets no verdict');
});

test('the best single run is no run of an ablation', async () => {
  await ablated('single');
  const input = { researchId: 'single', taskHash: 'task-1', direction: 'minimize' as const };
  expect(await readSingleBest(bench.db, input)).toBe('single/3');
});

test('a variant of a claim that a model wrote needs the sandbox of the claim', async () => {
  const { variant } = await ablated('box');
  const author = { proposer: 'tpe', researchId: 'box', candidateId: variant };
  expect(await sandboxOf(bench.store, TASK, author)).toBe('required');
  await bench.db.execute(sql`update trials set proposer = 'tpe' where research_id = 'box' and n = 3`);
  expect(await sandboxOf(bench.store, TASK, author)).toBe('preferred');
});
