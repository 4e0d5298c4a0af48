import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { OUTCOMES } from '../../../../dashboard/api/outcomes.ts';
import { SERIES_AXES, Series, type Axis } from '../../../../dashboard/api/series.ts';
import { series } from '../../../../dashboard/server/routes/series.ts';
import { insertStory, storeTrials, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../../db/support.ts';
import { readRoute, readData, NOW } from './read-route.ts';

const bench = useDatabase();
const seriesOf = async (id: string, input: { x?: Axis; buckets?: string } = {}) =>
  Series.parse(await readData(bench.db, series, { input: { id, ...input } }));
const labels = (outcome: number[]) => outcome.map((index) => OUTCOMES[index]);

test('an unknown research has no series', async () => {
  expect(await readRoute(bench.db, series, { input: { id: 'nobody' } })).toBeUndefined();
});

test('ended trials are placed along their numbers, with their values and outcomes', async () => {
  await insertStory(bench.db, 'story');
  const found = await seriesOf('story');
  expect(found.dots).toMatchObject({ n: [1, 2, 3, 4, 5], x: [1, 2, 3, 4, 5], value: [2, 2.2, 2.4, 1.5, null] });
  expect(labels(found.dots.outcome)).toEqual(['scored', 'scored', 'scored', 'keep', 'failed']);
  expect(found).toMatchObject({ total: 5, end: 5, rawBest: { x: [4], value: [1.5], n: [4] }, lead: null });
  expect(found.baseline).toEqual({ value: expect.closeTo(2.2) as number, sd: expect.closeTo(0.2) as number });
});

test('claims are steps at the trial after which they were made, the first of them the unmodified version', async () => {
  await bench.db.execute(sql`update claims set at = '2026-11-01T12:00:45.5Z' where research_id = 'story'`);
  const { claims } = await seriesOf('story');
  expect(claims).toMatchObject({ x: [1, 4], n: [null, 4], value: [expect.closeTo(2.2), 1.5] });
  expect(claims.low[0]).toBeCloseTo(2.2 - (4.302653 * 0.2) / Math.sqrt(3), 5);
});

test('time counts from the start of the research, slot seconds add up in the order of the ends', async () => {
  const time = await seriesOf('story', { x: 'time' });
  expect(time.dots.x).toEqual([15, 25, 35, 45, 51]);
  expect(time.claims.x).toEqual([15, 45.5]);
  expect(time.end).toBeGreaterThan(51);
  const slots = await seriesOf('story', { x: 'slotSeconds' });
  expect(slots.dots.x).toEqual([5, 10, 15, 20, 21]);
  expect(slots.end).toBe(21);
});

test('tokens and USD are those of the calls of each trial, of this research alone', async () => {
  const call = (trial: string, turn: number, tokens: number) => sql`
    insert into calls (trial_id, turn, model, request, tokens_in, tokens_out, usd)
    values (${trial}, ${turn}, 'm', '{}', ${tokens}, 1, 0.5)`;
  await bench.db.execute(call('story/4', 0, 99));
  await bench.db.execute(call('story/4', 1, 9));
  await bench.db.execute(call('story/5', 0, 19));
  await bench.db.execute(call('story/a/5', 0, 1000));
  expect((await seriesOf('story', { x: 'tokens' })).dots.x).toEqual([0, 0, 0, 110, 130]);
  expect((await seriesOf('story', { x: 'usd' })).dots.x).toEqual([0, 0, 0, 1, 1.5]);
});

test('a value of another metric, or one that is not finite, is null', async () => {
  await insertStory(bench.db, 'other');
  await bench.db.execute(sql`
    insert into task_versions
      (hash, name, task, yaml, stage_hash, immutable_hash, evaluator_hash, metric_key, mutable_paths)
    select 'task-2', name, task, yaml, 's2', 'i', 'e', 'another', mutable_paths
    from task_versions where hash = 'task-1'`);
  await bench.db.execute(sql`update trials set task_hash = 'task-2' where id = 'other/4'`);
  await bench.db.execute(sql`update trials set value = 'Infinity' where id = 'other/3'`);
  expect((await seriesOf('other')).dots.value).toEqual([2, 2.2, null, null, null]);
});

test('a discarded trial whose edit is in the lead is absorbed', async () => {
  await insertStory(bench.db, 'line');
  await bench.db.execute(sql`update trials set verdict = 'discard' where id = 'line/4'`);
  const { rows } = await bench.db.execute<{ id: string }>(
    sql`select candidate_id as id from trials where id = 'line/4'`,
  );
  await storeTrials(
    bench.db,
    trialRow('line', 7, {
      candidateId: rows[0]?.id ?? '',
      status: 'completed',
      value: 3,
      verdict: 'discard',
      endedAt: NOW,
    }),
  );
  await bench.db.execute(sql`update researches set last_n = 7 where id = 'line'`);
  await bench.db.execute(sql`
    update researches set gate = jsonb_set(gate, '{leadId}', to_jsonb(${rows[0]?.id ?? ''}::text))
    where id = 'line'`);
  expect(labels((await seriesOf('line')).dots.outcome)).toEqual([
    'scored',
    'scored',
    'scored',
    'absorbed',
    'failed',
    'absorbed',
  ]);
});

test('thinned dots keep every verdict that counts, the extremes and the rare outcomes', async () => {
  await seedResearch(bench.db, { id: 'long', trials: 1500, detailed: 0, now: NOW });
  const [all, few] = [await seriesOf('long'), await seriesOf('long', { buckets: '200' })];
  expect(all.dots.n).toHaveLength(1500);
  expect(few.total).toBe(1500);
  expect(few.dots.n.length).toBeLessThanOrEqual(200);
  expect(few.dots.n.length).toBeGreaterThan(100);
  const count = ({ outcome }: typeof all.dots, label: string) =>
    labels(outcome).filter((found) => found === label).length;
  for (const label of ['keep', 'confirm', 'absorbed']) expect(count(few.dots, label)).toBe(count(all.dots, label));
  for (const label of ['failed', 'cached', 'stopped-early']) expect(count(few.dots, label)).toBeGreaterThan(0);
  const values = ({ value }: typeof all.dots) => value.filter((each) => each !== null);
  expect(Math.min(...values(few.dots))).toBe(Math.min(...values(all.dots)));
  expect(Math.max(...values(few.dots))).toBe(Math.max(...values(all.dots)));
  expect(few.rawBest).toEqual(all.rawBest);
});

test.each(SERIES_AXES)('x never falls along %s, and columns have one length', async (x) => {
  const { dots, claims, end } = await seriesOf('long', { x });
  expect(dots.x.every((value, index) => value >= (dots.x[index - 1] ?? 0))).toBe(true);
  expect(claims.x.every((value, index) => value >= (claims.x[index - 1] ?? 0))).toBe(true);
  expect([dots.n, dots.value, dots.outcome].map((column) => column.length)).toEqual([1500, 1500, 1500]);
  expect(end).toBeGreaterThanOrEqual(dots.x.at(-1) ?? 0);
});
