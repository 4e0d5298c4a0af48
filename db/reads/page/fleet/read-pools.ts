import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import { IS_LOST } from '../../status/read-queue.ts';

/** A pool with its slots and its waiting trials. */
export interface PoolPage {
  pool: string;
  /** Slots that are leased, or can be. */
  total: number;
  leased: number;
  /** Trials that are ready and have no slot. */
  waiting: number;
  /** Seconds between a slot's runs while a trial waited, over the last 24 hours; null if there was no such gap. */
  gapP50: number | null;
  gapP95: number | null;
}

/** Every pool that has slots or waiting trials, by name. */
export async function readPools(db: Tx, { now }: { now: Date }): Promise<PoolPage[]> {
  const to = sql`${now.toISOString()}::timestamptz`;
  const { rows } = await db.execute<PoolPage & Record<string, unknown>>(sql`
    with given as (
      select pool, (count(*) filter (where state <> 'retired' and (wanted or state = 'leased')))::int as total,
        (count(*) filter (where state = 'leased'))::int as leased
      from slots group by 1),
    queued as (
      select trials.pool, count(*)::int as waiting from trials
      left join lateral (select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
      where trials.status is null and (trials.ready_at is not null or trials.candidate_id is not null)
        and (run.trial_id is null or ${IS_LOST})
        and not exists (select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased')
      group by 1),
    recent as (
      select slots.pool, runs.trial_id, runs.launched_at,
        lag(coalesce(runs.ended_at, runs.launched_at))
          over (partition by runs.slot_id order by runs.launched_at) as freed_at
      from runs join slots on slots.id = runs.slot_id
      where runs.launched_at > ${to} - interval '24 hours' and runs.launched_at <= ${to}),
    -- A slot that is idle before its next run is ready lacks work: that time is no gap.
    gaps as (
      select recent.pool, percentile_cont(array[0.5, 0.95]) within group (order by greatest(0,
        extract(epoch from recent.launched_at - greatest(recent.freed_at,
          -- Finds each row by its key: a join would read all trials of all time.
          coalesce((select ready_at from trials where trials.id = recent.trial_id),
            (select opened_at from jobs where jobs.id = recent.trial_id)))))) as gap
      from recent where recent.freed_at is not null group by 1)
    select pool, coalesce(given.total, 0) as total, coalesce(given.leased, 0) as leased,
      coalesce(queued.waiting, 0) as waiting,
      gaps.gap[1]::float8 as "gapP50", gaps.gap[2]::float8 as "gapP95"
    from given full join queued using (pool) left join gaps using (pool)
    where given.total > 0 or queued.waiting > 0 order by pool`);
  return rows;
}
