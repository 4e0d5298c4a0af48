import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { readLog } from '../../../../../db/reads/read-log.ts';
import { readRunningLines } from '../../../../../db/reads/page/research/read-running-lines.ts';
import { readRows } from '../../../../../db/reads/page/trials/read-rows.ts';
import { readStatus } from '../../../../../db/reads/read-status.ts';
import { useReader } from '../support.ts';

const bench = useReader((db) => seedResearch(db, { id: 'toy', trials: 150 }));

const rowsOf = async (...numbers: number[]) =>
  readRows(bench.reader, { research: await bench.researchOf('toy'), numbers });

test('rows come in the requested order, without unknown ones', async () => {
  expect((await rowsOf(9, 100_000, 2, 30)).map(({ n }) => n)).toEqual([9, 2, 30]);
});

test('a row has the values of the log', async () => {
  const log = await readLog(bench.reader, { researchId: 'toy' });
  const rows = await rowsOf(...log.map(({ n }) => n));
  const same = ({
    trialId,
    n,
    kind,
    ofTrial,
    status,
    failure,
    verdict,
    value,
    trusted,
    slot,
    seconds,
  }: (typeof log)[0]) =>
    ({ trialId, n, kind, ofTrial, status, failure, verdict, value, trusted, slot, seconds }) as const;
  expect(rows).toHaveLength(150);
  expect(rows).toMatchObject(log.map((line) => ({ ...same(line), reason: line.reason, endedAt: line.endedAt })));
});

test('a gain is over the mean of the baseline, positive if better, and null without a score', async () => {
  const { baseline } = await readStatus(bench.reader, { research: await bench.researchOf('toy') });
  const rows = await rowsOf(...Array.from({ length: 160 }, (_, index) => index + 1));
  for (const { value, gain } of rows)
    expect(gain).toEqual(value === null ? null : expect.closeTo((baseline?.value ?? NaN) - value, 10));
  expect(rows.some(({ gain }) => (gain ?? 0) > 0)).toBe(true);
});

test('a trial that was measured by another metric has no gain', async () => {
  await bench.db.execute(sql`
    insert into task_versions
      (hash, name, task, yaml, stage_hash, immutable_hash, evaluator_hash, metric_key, mutable_paths)
    select 'before', name, task, yaml, stage_hash, immutable_hash, evaluator_hash, 'another', mutable_paths
    from task_versions limit 1`);
  await bench.db.execute(sql`update trials set task_hash = 'before' where id = 'toy/3'`);
  const [three, four] = await rowsOf(3, 4);
  expect([three?.sameMetric, four?.sameMetric]).toEqual([false, true]);
  expect(three).toMatchObject({ gain: null, value: expect.any(Number) as number });
  expect(four?.gain).toEqual(expect.any(Number));
});

test('a row of a trial that is under way has neither end nor value', async () => {
  const { rows: open } = await bench.db.execute<{ n: number }>(sql`
    select n from trials where research_id = 'toy' and status is null order by n`);
  const rows = await rowsOf(...open.map(({ n }) => n));
  expect(rows).toHaveLength(10);
  for (const row of rows)
    expect(row).toMatchObject({ status: null, verdict: 'none', value: null, trusted: null, endedAt: null });
  const lines = await readRunningLines(bench.reader, await bench.researchOf('toy'));
  expect(rows.map(({ n, stage, share }) => ({ n, stage, share }))).toEqual(
    lines.map(({ n, stage, share }) => ({ n, stage, share })),
  );
  expect(new Set(rows.map(({ stage }) => stage)).size).toBeGreaterThan(1);
  expect(rows.some(({ share }) => share !== null)).toBe(true);
});
