import { inArray } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { candidates } from '../../../../db/schema.ts';
import { PREFLIGHT_FAILURES } from '../../../../domain/trial.ts';
import { BASELINE, BROKEN, insertResearch, storeTrials, trialRow, WINNER } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

test('siblings are the candidates of edits of the same parent that ran or are about to, the newest first', async () => {
  await insertResearch(bench.db, 'siblings');
  const child = { parentId: BASELINE } as const;
  await storeTrials(bench.db, [
    trialRow('siblings', 1, { ...child, candidateId: WINNER, status: 'completed', value: 1 }),
    trialRow('siblings', 2, { ...child, candidateId: BROKEN }),
    trialRow('siblings', 3, { parentId: WINNER, candidateId: BASELINE }),
    trialRow('siblings', 4, { ...child, candidateId: BASELINE, status: 'lost', failure: 'machine-lost' }),
    trialRow('siblings', 5, child),
  ]);
  const mine = await bench.store.trial.loadTrial('siblings/5');
  expect(await bench.store.trial.findSiblings({ trial: mine, most: 9 })).toEqual([BROKEN, WINNER]);
  expect(await bench.store.trial.findSiblings({ trial: mine, most: 1 })).toEqual([BROKEN]);
});

test('a candidate stands for others of its program unless its text was rejected before every run', async () => {
  await insertResearch(bench.db, 'rejected');
  await bench.db
    .update(candidates)
    .set({ sameness: 'rejected' })
    .where(inArray(candidates.id, [WINNER, BROKEN]));
  const key = { researchId: 'rejected', sameness: 'rejected' };
  const standsFor = (candidateId: string) => bench.store.trial.findSameCandidate({ ...key, candidateId });
  for (const [index, failure] of PREFLIGHT_FAILURES.entries())
    await storeTrials(
      bench.db,
      trialRow('rejected', index + 1, { candidateId: WINNER, status: 'rejected', failure, endedAt: new Date() }),
    );
  await storeTrials(bench.db, trialRow('rejected', 4, { candidateId: WINNER, status: 'cached' }));
  expect(await standsFor(BROKEN)).toBeUndefined();
  expect(await standsFor(WINNER)).toEqual({ id: WINNER, n: 1 });
  await storeTrials(bench.db, trialRow('rejected', 5, { candidateId: WINNER }));
  expect(await standsFor(BROKEN)).toEqual({ id: WINNER, n: 5 });
  await bench.db.update(candidates).set({ sameness: null });
});

test('the original and candidates of the latest trials lack a sameness until it is stored, which stays', async () => {
  await insertResearch(bench.db, 'lacking');
  await storeTrials(bench.db, trialRow('lacking', 1, { candidateId: WINNER }));
  const key = { researchId: 'lacking', immutableHash: 'i' };
  expect(await bench.store.trial.findWithoutSameness(key)).toEqual([BASELINE, WINNER].sort());
  expect(await bench.store.trial.findWithoutSameness({ ...key, immutableHash: 'j' })).toEqual([]);
  for (const sameness of ['first', 'second']) await bench.store.trial.saveSameness({ id: WINNER, sameness });
  expect(await bench.store.trial.findWithoutSameness(key)).toEqual([BASELINE]);
  const found = { researchId: 'lacking', candidateId: BROKEN };
  expect(await bench.store.trial.findSameCandidate({ ...found, sameness: 'first' })).toEqual({ id: WINNER, n: 1 });
  expect(await bench.store.trial.findSameCandidate({ ...found, sameness: 'second' })).toBeUndefined();
});
