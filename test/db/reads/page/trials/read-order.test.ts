import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import type { TrialFilter } from '../../../../../db/reads/page/trials/filter.ts';
import { readOrder, type TrialSort } from '../../../../../db/reads/page/trials/read-order.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400 });
  await db.execute(sql`update trials set value = 'NaN' where id = 'toy/7'`);
  await db.execute(sql`update trials set hypothesis = 'a rate of 100%_more' where id = 'toy/20'`);
});

const orderOf = async (filter: TrialFilter, sort: TrialSort = 'n', order: 'asc' | 'desc' = 'asc') =>
  readOrder(bench.reader, { research: await bench.researchOf('toy'), filter, sort, order });

test('all trials come in the order of their numbers', async () => {
  const { n } = await orderOf({}, 'n', 'desc');
  expect(n).toHaveLength(410);
  expect(n).toEqual([...n].sort((a, b) => b - a));
});

const KEYS = {
  value: `nullif(value, 'NaN')`,
  ended: 'extract(epoch from ended_at)::float8',
  seconds: 'seconds',
  usd: '(select sum(usd) from calls where trial_id = trials.id)',
};

test.each(Object.entries(KEYS).flatMap(([sort, key]) => (['asc', 'desc'] as const).map((way) => ({ sort, key, way }))))(
  'trials sorted by $sort, $way, come with those without a value last',
  async ({ sort, key, way }) => {
    const { rows } = await bench.db.execute<{ n: number; key: number | null }>(
      sql.raw(`select n, ${key} as key from trials where research_id = 'toy'`),
    );
    const keys = new Map(rows.map((row) => [row.n, row.key]));
    const { n } = await orderOf({}, sort as TrialSort, way);
    expect([...n].sort((a, b) => a - b)).toEqual(rows.map((row) => row.n).sort((a, b) => a - b));
    const sorted = n.map((one) => keys.get(one) ?? null);
    const known = sorted.filter((one) => one !== null);
    expect(known.length).toBeGreaterThan(100);
    expect(sorted.slice(0, known.length)).toEqual([...known].sort((a, b) => (way === 'asc' ? a - b : b - a)));
  },
);

test('the count of a filter is that of its trials, and the counts of each kind add up to all trials', async () => {
  const { n, facets } = await orderOf({});
  for (const key of ['kind', 'status', 'verdict'] as const)
    expect(Object.values(facets[key]).reduce((sum, count) => sum + count, 0)).toBe(n.length);
  for (const [key, counts] of Object.entries(facets))
    for (const [value, count] of Object.entries(counts as Record<string, number>))
      expect([key, value, (await orderOf({ [key]: value })).n.length]).toEqual([key, value, count]);
  expect(facets.status).toMatchObject({ running: 10 });
  expect(facets.verdict).toHaveProperty('absorbed');
});

test('several filters apply together, and the counts stay those of all trials', async () => {
  const whole = await orderOf({});
  const { n, facets } = await orderOf({ kind: 'search', status: 'completed', verdict: 'keep' });
  expect(facets).toEqual(whole.facets);
  const { rows } = await bench.db.execute<{ n: number }>(sql`
    select n from trials
    where research_id = 'toy' and kind = 'search' and status = 'completed' and verdict = 'keep' order by n`);
  expect(n).toEqual(rows.map((row) => row.n));
  expect(n.length).toBeGreaterThan(0);
});

test('a text is searched for literally, in any case, in idea, reason and failure', async () => {
  expect((await orderOf({ text: 'RATE OF 100%_m' })).n).toEqual([20]);
  expect((await orderOf({ text: '100__more' })).n).toEqual([]);
  const { rows } = await bench.db.execute<{ n: number }>(sql`
    select n from trials where research_id = 'toy' and failure = 'exit-code' order by n`);
  expect(rows.length).toBeGreaterThan(0);
  expect((await orderOf({ text: 'EXIT-CODE' })).n).toEqual(expect.arrayContaining(rows.map((row) => row.n)));
  expect((await orderOf({ text: 'adds to the estimate' })).n).toContain(1);
  expect((await orderOf({ text: 'EXIT-CODE', status: 'completed' })).n).toEqual([]);
});

test('a value of an earlier metric of the task comes last', async () => {
  const first = async () => (await orderOf({}, 'value', 'asc')).n;
  const [best = 0] = await first();
  await bench.db.execute(sql`
    insert into task_versions
      (hash, name, task, yaml, stage_hash, immutable_hash, evaluator_hash, metric_key, mutable_paths)
    select 'before', name, task, yaml, stage_hash, immutable_hash, evaluator_hash, 'another', mutable_paths
    from task_versions limit 1`);
  await bench.db.execute(sql`update trials set task_hash = 'before' where research_id = 'toy' and n = ${best}`);
  const [next] = await first();
  expect(next).not.toBe(best);
});

test('a research without trials has an empty order', async () => {
  const none = { kind: {}, status: {}, verdict: {}, failure: {} };
  expect(
    await readOrder(bench.reader, {
      research: { id: 'none', createdAt: new Date(0), lastN: 0, taskHash: 'none' },
      filter: {},
      sort: 'n',
      order: 'asc',
    }),
  ).toEqual({
    n: [],
    facets: none,
  });
});
