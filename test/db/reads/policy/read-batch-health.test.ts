import { sql } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { readBatchShares, readTokenPlaces } from '../../../../db/reads/policy/read-batch-health.ts';
import { BASELINE, BROKEN, WINNER } from '../../../cli/support/lineage.ts';
import { insertLearning } from '../../../support/database/learning.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();
const idsOf = (...numbers: number[]): string[] => numbers.map((n) => `toy/${n}`);

beforeAll(async () => {
  await insertLearning(bench.db, 'toy');
  await insertLearning(bench.db, 'beside');
  const rows = [
    [2, WINNER, 'completed', [-0.1, -2]],
    [3, WINNER, 'completed', [-0.3, -3]],
    [4, null, 'rejected', [-0.2]],
    [5, BROKEN, 'crashed', []],
    [6, BASELINE, 'cached', null],
    [7, WINNER, 'cached', null],
    [8, WINNER, 'lost', null],
    [9, BROKEN, 'cached', null],
  ] as const;
  for (const [n, candidateId, status, logprobs] of rows) {
    await bench.db.execute(sql`update trials set candidate_id = ${candidateId}, status = ${status}
      where research_id = 'toy' and n = ${n}`);
    await bench.db.execute(sql`update rollouts
      set logprobs = (select array_agg(value::float8) from jsonb_array_elements_text(${JSON.stringify(logprobs ?? [])}))
      where trial_id = ${`toy/${n}`}`);
  }
});

test('a copy is known, whether it ran again or not, and so is the unmodified version', async () => {
  expect(await readBatchShares(bench.db, { trialIds: idsOf(2, 3, 4, 5) })).toEqual({
    fresh: 0.5,
    known: 0.25,
    legal: 0.75,
    refused: 0.25,
  });
  expect(await readBatchShares(bench.db, { trialIds: idsOf(6, 7, 8, 9) })).toEqual({
    fresh: 0,
    known: 0.75,
    legal: 0.75,
    refused: 0,
  });
});

test('a trial of a kind that is no proposal makes no candidate known', async () => {
  await bench.db.execute(sql`update trials set kind = 'confirm' where id = 'toy/2'`);
  expect(await readBatchShares(bench.db, { trialIds: idsOf(3) })).toMatchObject({ fresh: 1, known: 0 });
  await bench.db.execute(sql`update trials set kind = 'search' where id = 'toy/2'`);
});

test('an empty batch has no shares and no places', async () => {
  expect(await readBatchShares(bench.db, { trialIds: [] })).toBeNull();
  expect(await readTokenPlaces(bench.db, { trialIds: [] })).toEqual([]);
});

test('each place has the −log p of the answers that reach it', async () => {
  const places = await readTokenPlaces(bench.db, { trialIds: idsOf(2, 3, 4, 5, 6) });
  expect(places).toEqual([
    { place: 1, samples: 3, mean: expect.closeTo(0.2, 12) as number, least: 0.1, most: 0.3 },
    { place: 2, samples: 2, mean: 2.5, least: 2, most: 3 },
  ]);
});
