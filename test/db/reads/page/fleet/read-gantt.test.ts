import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Gantt } from '../../../../../dashboard/api/fleet.ts';
import { GANTT_OUTCOMES } from '../../../../../dashboard/api/outcomes.ts';
import { readGantt } from '../../../../../db/reads/page/fleet/read-gantt.ts';
import { useReader } from '../support.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const FROM = '2026-11-20T11:50:00.000Z';

const bench = useReader((db) => seedResearch(db, { id: 'toy', trials: 400, now: NOW }));

/** The id of the last trial that ran to its end. */
async function lastRun(): Promise<string> {
  const { rows } = await bench.db.execute<{ id: string }>(sql`
    select trial_id as id from runs where ended_at is not null and trial_id like 'toy/%'
    order by ended_at desc limit 1`);
  return rows[0]?.id ?? '';
}

const ganttOf = (asked: { from?: string; to?: string } = {}) => readGantt(bench.reader, { now: NOW, ...asked });

test('bars are the runs of the period, clipped to it', async () => {
  const gantt = await ganttOf({ from: FROM });
  const [from, now] = [sql`${FROM}::timestamptz`, sql`${NOW.toISOString()}::timestamptz`];
  const { rows } = await bench.db.execute<{ id: string; start: number; end: number; slot: string }>(sql`
    select trial_id as id, slot_id as slot, greatest(0, extract(epoch from launched_at - ${from}))::float8 as start,
      least(600, extract(epoch from coalesce(ended_at, ${now}) - ${from}))::float8 as "end"
    from runs where launched_at < ${now} and coalesce(ended_at, ${now}) > ${from}`);
  const { trialId, slot, start, seconds } = gantt.bars;
  expect(gantt).toMatchObject({ from: FROM, to: NOW.toISOString(), cut: false });
  expect([...trialId].sort()).toEqual(rows.map(({ id }) => id).sort());
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const [index, id] of trialId.entries()) {
    const row = known.get(id);
    expect(gantt.slots[slot[index] ?? -1]).toBe(row?.slot);
    expect(start[index]).toBeCloseTo(row?.start ?? NaN, 3);
    expect((start[index] ?? 0) + (seconds[index] ?? 0)).toBeCloseTo(row?.end ?? NaN, 3);
  }
  expect(start.filter((one) => one === 0).length).toBeGreaterThan(0);
  expect(Gantt.parse(gantt)).toEqual(gantt);
});

test('a bar has the outcome of its run', async () => {
  const { bars } = await ganttOf();
  const { rows } = await bench.db.execute<{ id: string; status: string | null; open: boolean }>(sql`
    select runs.trial_id as id, trials.status, runs.ended_at is null as open
    from runs join trials on trials.id = runs.trial_id`);
  const known = new Map(rows.map((row) => [row.id, row]));
  const words = { completed: 'completed', aborted: 'aborted', lost: 'lost' } as Record<string, string>;
  for (const [index, id] of bars.trialId.entries()) {
    const row = known.get(id);
    const expected = row?.open ? 'running' : (words[row?.status ?? ''] ?? 'failed');
    expect([id, GANTT_OUTCOMES[bars.outcome[index] ?? -1]]).toEqual([id, expected]);
  }
  expect(new Set(bars.outcome).size).toBeGreaterThan(3);
});

test('a run with a later placement counts as lost, and a run of another kind of job has no outcome', async () => {
  const last = await lastRun();
  await bench.db.execute(sql`update trials set placement = 2 where id = ${last}`);
  await bench.db.execute(
    sql`insert into jobs (id, kind, pool, priority, spec) values ('job', 'command', 'lab', 3, '{}')`,
  );
  await bench.db.execute(sql`
    insert into runs (trial_id, placement, host, slot_id, fence, launched_at, ended_at)
    select 'job', 1, host, slot_id, 1, '2026-11-20T11:30:00Z', '2026-11-20T11:31:00Z'
    from runs where trial_id = ${last}`);
  const { bars } = await ganttOf();
  const outcomeOf = (id: string) => GANTT_OUTCOMES[bars.outcome[bars.trialId.indexOf(id)] ?? -1];
  expect([outcomeOf(last), outcomeOf('job')]).toEqual(['lost', 'other']);
});

test('at most twenty thousand bars are sent, the newest ones', async () => {
  const now = sql`${NOW.toISOString()}::timestamptz`;
  await bench.db.execute(sql`
    insert into runs (trial_id, placement, host, slot_id, fence, launched_at, ended_at)
    select 'job', i + 1, host, slot_id, 1, ${now} - i * interval '1 second', ${now} - (i - 1) * interval '1 second'
    from runs, generate_series(1, 20100) i where trial_id = ${await lastRun()}`);
  const { bars, cut } = await ganttOf();
  expect(cut).toBe(true);
  expect(bars.trialId).toHaveLength(20_000);
  expect(Math.min(...bars.start)).toBeGreaterThan(86_400 - 20_200);
  await bench.db.execute(sql`delete from runs where trial_id = 'job'`);
});
