import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { readLearned } from '../../../../db/reads/policy/read-learned.ts';
import { readMeanRewards } from '../../../../db/reads/policy/read-mean-rewards.ts';
import { readLearningRows } from '../../../../db/reads/policy/read-update-rows.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import type { RewardScale } from '../../../../domain/learning/statistics/reward-scale.ts';
import { sd, seriesOf } from '../../../../domain/statistics/series.ts';
import { BASELINE, BROKEN, WINNER } from '../../../cli/support/lineage.ts';
import { insertLearning } from '../../../support/database/learning.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const scale: RewardScale = { scale: 'absolute', sign: -1, baseline: 2, failed: -1 };

/**
 * Batch 1, trials 2 to 5: the winner twice, the broken candidate, and an answer that could not be read. Batch 2, trials
 * 6 to 9: the winner twice, one trial without a reward, and the broken candidate. The winner ran at 1.1 and 1.4, the
 * unmodified candidate at 2 and 2.2; the broken one crashed once.
 */
beforeAll(async () => {
  await insertLearning(bench.db, 'toy');
  const rows = [
    [1, BASELINE, 'completed', 2, null],
    [2, WINNER, 'completed', 1.1, 0.75],
    [3, WINNER, 'completed', 1.4, 0.75],
    [4, BROKEN, 'crashed', null, -1],
    [5, null, 'rejected', null, -1],
    [6, WINNER, 'cached', null, 0.75],
    [7, WINNER, 'cached', null, 0.75],
    [8, BROKEN, 'lost', null, null],
    [9, BROKEN, 'cached', null, -1],
    [10, BASELINE, 'completed', 2.2, -0.2],
  ] as const;
  for (const [n, candidateId, status, value, reward] of rows)
    await bench.db.execute(sql`update trials set candidate_id = ${candidateId}, status = ${status}, value = ${value},
      reward = ${reward}, reward_parts = ${candidateId === WINNER ? '{"runs": 2, "failedRuns": 0}' : '{}'}::jsonb
      where research_id = 'toy' and n = ${n}`);
});

const input = { researchId: 'toy', taskHash: 'task-1', scale };
const varianceOf = (values: number[]): number => sd(seriesOf(values)) ** 2;

test('the error of a batch has its spread, and the runs of the candidates that samples share', async () => {
  const [first] = await readMeanRewards(bench.db, { ...input, parts: [[1]] });
  const rewards = [0.75, 0.75, -1, -1];
  const ofWinner = varianceOf([-1.1, -1.4]) / 2;
  expect(first?.n).toBe(4);
  expect(first?.mean).toBeCloseTo(-0.125, 12);
  expect(first?.standardError).toBeCloseTo(Math.sqrt(varianceOf(rewards) / 4 + (2 * ofWinner) / 12), 12);
});

test('batches that are taken together share the error of a candidate, or pooled noise for one run', async () => {
  const [both] = await readMeanRewards(bench.db, { ...input, parts: [[1, 2]] });
  const rewards = [0.75, 0.75, -1, -1, 0.75, 0.75, -1];
  const winner = varianceOf([1.1, 1.4]);
  const pooled = (winner + varianceOf([2, 2.2])) / 2;
  const shared = (4 * 3 * winner) / 2 + 2 * 1 * pooled;
  expect(both).toMatchObject({ n: 7 });
  expect(both?.standardError).toBeCloseTo(Math.sqrt(varianceOf(rewards) / 7 + shared / 42), 12);
});

test('the error is unknown if copies have a reward that is no gain; no rewards give no mean', async () => {
  const parts = [[1], [3], [99]];
  const found = await readMeanRewards(bench.db, { ...input, scale: null, parts });
  expect(found[0]).toMatchObject({ n: 4, standardError: null });
  expect(found.slice(1)).toEqual([undefined, undefined]);
  expect((await readMeanRewards(bench.db, { ...input, parts }))[0]?.standardError).toBeGreaterThan(0);
});

test('what a policy learnt has its first and last draws, and the references of its task', async () => {
  const research = await readResearch(bench.db, { researchId: 'toy' });
  if (!research) throw new Error('Expected the research, found none');
  await bench.db.execute(sql`update updates set state = 'done' where research_id = 'toy'`);
  const rows = await readLearningRows(bench.db, { researchId: 'toy' });
  const references = [{ name: 'the best', value: 0.9 }];
  const learned = await readLearned(bench.db, {
    research: { ...research, task: { ...research.task, references } },
    rows,
  });
  expect(learned).toMatchObject({
    first: { from: 1, to: 1, reward: { n: 4 } },
    last: { from: 2, to: 2, reward: { n: 3, mean: expect.closeTo(0.5 / 3, 12) as number } },
    references: [{ name: 'the best', value: 0.9, shift: 0, stays: 'it names no baseline' }],
  });
  expect(await readLearned(bench.db, { research, rows: [] })).toBeNull();
});
