import { beforeAll, expect, test } from 'vitest';
import { readSample } from '../../../../db/reads/policy/read-samples.ts';
import { readLog } from '../../../../db/reads/read-log.ts';
import type { UpdatePlan } from '../../../../domain/learning/plan.ts';
import { CHECKPOINT, insertLearning } from '../../../support/database/learning.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const plan = {} as UpdatePlan;

beforeAll(() => insertLearning(bench.db, 'toy'));

const read = (n: number, updatePlan: UpdatePlan | null = plan) =>
  readSample(bench.db, { trialId: `toy/${n}`, plan: updatePlan });

test('a sample has the version that drew it and the update that learned from it', async () => {
  expect(await read(2)).toEqual({
    policyVersion: 0,
    checkpoint: 'base',
    group: 1,
    seq: 1,
    update: { k: 1, state: 'done', skipped: null, reason: null },
  });
  expect(await read(6)).toMatchObject({ policyVersion: 1, checkpoint: CHECKPOINT, update: { k: 2, state: 'due' } });
});

test('a sample that the step excluded has the reason', async () => {
  expect(await read(3)).toMatchObject({ update: { k: 1, state: 'done', skipped: 'no feedback' } });
});

test('a sample of a filling batch waits for its update, unless the policy does not learn', async () => {
  expect(await read(11)).toMatchObject({ checkpoint: null, update: { k: 3, state: 'open' } });
  expect(await read(11, null)).toMatchObject({ update: null });
});

test('a trial that no policy proposed has no sample', async () => {
  expect(await read(1)).toBeNull();
});

test('the log has version and update for each trial', async () => {
  const lines = await readLog(bench.db, { researchId: 'toy' });
  expect(lines.map(({ n, policyVersion, update }) => [n, policyVersion, update]).sort(([a], [b]) => a! - b!)).toEqual([
    [1, null, null],
    ...[2, 3, 4, 5].map((n) => [n, 0, 1]),
    ...[6, 7, 8, 9].map((n) => [n, 1, 2]),
    [10, 1, null],
  ]);
});
