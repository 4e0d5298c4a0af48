import { beforeAll, expect, test } from 'vitest';
import { readLearning } from '../../../../db/reads/policy/read-learning.ts';
import { wantedRuns } from '../../../../db/schema.ts';
import { BASELINE, insertResearch, storeTrials, trialRow } from '../../../cli/support/lineage.ts';
import { CHECKPOINT, insertLearning } from '../../../support/database/learning.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const plan = { batch: 4 };

beforeAll(async () => {
  await insertLearning(bench.db, 'toy');
  await insertLearning(bench.db, 'beside', { inForce: 0, halted: 'entropy fell' });
});

test('learning has the version in force, the due update, the filling batch and the last rewards', async () => {
  expect(await readLearning(bench.db, { researchId: 'toy', plan })).toEqual({
    version: 1,
    checkpoint: CHECKPOINT,
    pinned: false,
    halted: null,
    update: { k: 2, dueAt: '2026-11-01T12:01:00.000Z', begunAt: null },
    batch: { k: 3, joined: 2, ended: 1, of: 4 },
    evaluationSamples: null,
    rewards: [
      { k: 1, mean: 0.25, samples: 4 },
      { k: 2, mean: expect.closeTo(1.9 / 3, 10), samples: 4 },
    ],
  });
});

test('learning counts the samples of evaluations that were requested, and those that ended', async () => {
  await insertLearning(bench.db, 'evaluated');
  const want = { researchId: 'evaluated', kind: 'evaluation' as const, candidateId: BASELINE, ofTrial: null };
  await bench.db.insert(wantedRuns).values([21, 22, null].map((n) => ({ ...want, n, proposal: { version: 1 } })));
  await storeTrials(bench.db, trialRow('evaluated', 21, { kind: 'evaluation', status: 'completed', value: 1 }));
  await storeTrials(bench.db, trialRow('evaluated', 22, { kind: 'evaluation' }));
  const learning = await readLearning(bench.db, { researchId: 'evaluated', plan });
  expect(learning?.evaluationSamples).toEqual({ ended: 1, of: 3 });
});

test('a policy that does not learn has no batch', async () => {
  const learning = await readLearning(bench.db, { researchId: 'beside', plan: null });
  expect(learning).toMatchObject({ version: 0, checkpoint: null, halted: 'entropy fell', batch: null });
});

test('a research with an update is at the base model before its first sample', async () => {
  await insertResearch(bench.db, 'young');
  expect(await readLearning(bench.db, { researchId: 'young', plan })).toEqual({
    version: 0,
    checkpoint: null,
    pinned: false,
    halted: null,
    update: null,
    batch: { k: 1, joined: 0, ended: 0, of: 4 },
    evaluationSamples: null,
    rewards: [],
  });
});

test('a research without a policy has no learning', async () => {
  await insertResearch(bench.db, 'plain');
  expect(await readLearning(bench.db, { researchId: 'plain', plan: null })).toBeNull();
});
