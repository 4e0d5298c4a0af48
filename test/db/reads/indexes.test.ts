import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../../../db/reads/read-events.ts';
import { readRulings } from '../../../db/reads/read-rulings.ts';
import { BASELINE, insertResearch, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

beforeAll(async () => {
  const { db } = bench;
  for (const id of ['long', 'beside']) await insertResearch(db, id);
  await db.execute(sql`
    insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission, candidate_id, parent_id, status,
      failure, value, verdict, ended_at, ruled_at)
    select r || '/' || n, r, n, 'search', n, 'task-1', 'local', 'a', ${BASELINE}::text,
      case when n % 500 = 0 then ${WINNER}::text else ${BASELINE}::text end,
      case when n % 50 = 0 then 'crashed' else 'completed' end, case when n % 50 = 0 then 'exit-code' end,
      case when n % 50 = 0 then null else n end, case when n % 100 = 1 then 'keep' else 'discard' end,
      now() + make_interval(secs => n), case when n % 7 = 0 then now() + make_interval(secs => n + 9) end
    from unnest(array['long', 'beside']) r, generate_series(1, 10000) n`);
  await bench.store.trial.repairJobs();
  await db.execute(sql`
    insert into runs (trial_id, placement, host, slot_id, fence, launched_at, ended_at, log_tail)
    select id, 0, 'h', 'h/' || n % 40, n, created_at + make_interval(secs => n * 60), now(), repeat('x', 700)
    from trials order by n`);
  await db.execute(sql`
    insert into calls (trial_id, turn, model, request, sent_at)
    select id, 0, 'm', '{}', created_at + make_interval(secs => n * 60) from trials order by n`);
  await db.execute(sql`
    insert into events (research_id, kind, level, n, data)
    select case when n % 2000 = 0 then 'rare' else research_id end, 'trial-ended', 'detail', n, '{}'
    from trials order by n`);
  for (const table of ['trials', 'runs', 'calls', 'events']) await db.execute(sql.raw(`vacuum analyze ${table}`));
  // Other transactions on the server may hold events back for a moment.
  while ((await readEvents(db, { limit: 5 })).length < 5);
});

const HOUR = sql`between now() + interval '20 hours' and now() + interval '21 hours'`;
const DAY = sql`between now() + interval '20 hours' and now() + interval '44 hours'`;

describe('an index serves its query', () => {
  test.each([
    [
      'trials_value',
      sql`select n from trials where research_id = 'long' and value is not null order by value limit 100`,
    ],
    [
      'trials_kept',
      sql`select n from trials where research_id = 'long' and verdict in ('keep', 'confirm') order by n desc limit 20`,
    ],
    ['trials_parent', sql`select n, candidate_id from trials where research_id = 'long' and parent_id = ${WINNER}`],
    [
      'trials_failed',
      sql`select failure, count(*) from trials where research_id = 'long' and failure is not null group by failure`,
    ],
    ['runs_launched', sql`select trial_id from runs where launched_at ${DAY}`],
    ['runs_of_slot', sql`select trial_id from runs where slot_id = 'h/7' and launched_at ${HOUR}`],
    ['runs_ended', sql`select trial_id from runs where ended_at is null or ended_at > now() + interval '1 hour'`],
    ['trials_changed', sql`select n from trials where changed_xid >= pg_snapshot_xmin(pg_current_snapshot())`],
    ['calls_changed', sql`select turn from calls where changed_xid >= pg_snapshot_xmin(pg_current_snapshot())`],
    [
      'events_phases',
      sql`select data from events where research_id = 'long' and kind = 'phase' order by xid desc, id desc limit 9`,
    ],
    ['calls_sent', sql`select sum(usd) from calls where sent_at ${HOUR}`],
  ])('%s', async (name, query) => {
    const { rows } = await bench.db.execute<{ 'QUERY PLAN': string }>(sql`explain ${query}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(name);
    expect(plan).not.toMatch(/Seq Scan|Sort Key/);
  });

  test.each([
    ['trials_ruled', (tx: Parameters<typeof readRulings>[0]) => readRulings(tx, { researchId: 'long', limit: 5 })],
    ['events_research', (tx: Parameters<typeof readEvents>[0]) => readEvents(tx, { researchId: 'rare', limit: 5 })],
    ['events_xid_id_pk', (tx: Parameters<typeof readEvents>[0]) => readEvents(tx, { limit: 5 })],
  ])('%s, and reads hardly more rows than it returns', async (name, read) => {
    const [before, after] = await bench.db.transaction(async (tx) => {
      // These functions count the scans of this transaction alone.
      const countOf = async () => {
        const { rows } = await tx.execute<{ scans: number; tuples: number }>(sql`
          select pg_stat_get_xact_numscans(i)::int as scans, pg_stat_get_xact_tuples_returned(i)::int as tuples
          from (select ${name}::regclass::oid as i) of`);
        return rows[0] ?? { scans: 0, tuples: 0 };
      };
      const first = await countOf();
      expect(await read(tx)).toHaveLength(5);
      return [first, await countOf()];
    });
    expect(after.scans - before.scans).toBe(1);
    // Some of the rulings that are read are on runs that only inform.
    expect(after.tuples - before.tuples).toBeLessThan(100);
  });
});
