import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Curve } from '../../../../../dashboard/api/trials/trial.ts';
import { readCurvePage, readLogPage } from '../../../../../db/reads/page/trial/read-curve-page.ts';
import { useReader } from '../support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400 });
  await seedResearch(db, { id: 'wild', trials: 60, hostile: true });
});

const curveOf = (trialId: string) => readCurvePage(bench.reader, { trialId });

test('a curve has the points of the last placement, under the name of its quantity', async () => {
  await bench.db.execute(sql`
    insert into points (trial_id, placement, seq, step, elapsed, value)
    select trial_id, 0, seq, step, elapsed, 77 from points where trial_id = 'toy/11'`);
  const curve = await curveOf('toy/11');
  expect(curve).toMatchObject({ name: 'train_loss', notFinite: 0 });
  expect(curve?.step).toEqual(Array.from({ length: 20 }, (_, index) => 50 * (index + 1)));
  expect(curve?.value).not.toContain(77);
  expect(Curve.parse(curve)).toEqual(curve);
});

test('a value that is not finite is null and counted', async () => {
  const curve = await curveOf('wild/12');
  const nulls = curve?.value.filter((value) => value === null).length;
  expect(nulls).toBeGreaterThan(3);
  expect(curve?.notFinite).toBe(nulls);
  expect(Curve.parse(curve)).toEqual(curve);
});

test('a point without a step is left out and counted', async () => {
  await bench.db.execute(sql`update points set step = 'Infinity' where trial_id = 'toy/12' and seq = 3`);
  const curve = await curveOf('toy/12');
  expect(curve).toMatchObject({ notFinite: 1 });
  expect(curve?.step).toHaveLength(19);
});

test('the point at which the rule wanted to stop a run is marked', async () => {
  const { rows } = await bench.db.execute<{ id: string }>(sql`
    select id from trials where research_id = 'toy' and failure = 'cannot-win' limit 1`);
  const curve = await curveOf(rows[0]?.id ?? '');
  expect(curve?.mark?.label).toMatch(/^stopped at \d+ %$/);
  expect(curve?.step).toContain(curve?.mark?.step);
});

test('a run of many points is sent thinned', async () => {
  await bench.db.execute(sql`
    insert into points (trial_id, placement, seq, step, elapsed, value)
    select 'toy/13', 2, i, i, i, sin(i) from generate_series(1, 30000) i`);
  const curve = await curveOf('toy/13');
  expect(curve?.step.length).toBeLessThanOrEqual(2000);
  expect(curve?.step.at(-1)).toBe(30_000);
});

test('a trial without a curve has an empty one, an unknown trial has none', async () => {
  await bench.db.execute(sql`delete from points where trial_id = 'toy/14'`);
  expect(await curveOf('toy/14')).toMatchObject({ step: [], elapsed: [], value: [], mark: null });
  expect(await curveOf('toy/100000')).toBeUndefined();
});

describe('the log of a run', () => {
  const logOf = (trialId: string) => readLogPage(bench.reader, { trialId });

  test('the log is the stored end of the last placement, with a mark if the run printed more', async () => {
    await bench.db.execute(sql`
      update runs set log_tail = 'whole' || chr(233), log_offset = 0, "end" = jsonb_set("end", '{outputBytes}', '7')
      where trial_id = 'toy/2'`);
    expect(await logOf('toy/2')).toEqual({ text: 'wholeé', placement: 1, cut: false });
    await bench.db.execute(sql`update runs set log_offset = 8 where trial_id = 'toy/2'`);
    expect(await logOf('toy/2')).toMatchObject({ cut: true });
  });

  test('a trial without a placement has an empty log, an unknown trial has none', async () => {
    await bench.db.execute(sql`delete from runs where trial_id = 'toy/3'`);
    expect(await logOf('toy/3')).toEqual({ text: null, placement: null, cut: false });
    expect(await logOf('toy/100000')).toBeUndefined();
  });
});
