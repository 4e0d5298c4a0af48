import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Trials of a research that wait for a slot, and the pool that is to give one. */
export interface Queue {
  pool: string;
  trials: number;
  /** How long the first of them has been ready. */
  seconds: number;
  /** Slots of the pool that are lent, or may be now. */
  slots: number;
  /** Those that a trial of any research holds. */
  taken: number;
  /** Hosts of the pool that lend nothing now, and why. */
  away: { host: string; why: string }[];
}

/** What a research's trials wait for; null where none waits. A trial whose run the machine lost waits again. */
export async function readQueue(db: Tx, input: { researchId: string; pool: string }): Promise<Queue | null> {
  const { pool } = input;
  const found = await db.execute<Omit<Queue, 'pool'> & Record<string, unknown>>(sql`
    with waiting as (
      select trials.ready_at, run.ended_at from trials
      left join lateral (
        select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
      where trials.research_id = ${input.researchId} and trials.status is null
        and (trials.ready_at is not null or trials.candidate_id is not null)
        and (run.trial_id is null or (run.ended_at is not null and (run."end" is null or run.shortage is not null))))
    select count(*)::int as trials,
      coalesce(extract(epoch from now() - min(coalesce(ended_at, ready_at))), 0)::float8 as seconds,
      (select count(*)::int from slots where pool = ${pool} and (state = 'leased' or (wanted and state <> 'retired' and ${LENDS}))) as slots,
      (select count(*)::int from slots where pool = ${pool} and state = 'leased') as taken,
      coalesce((
        select json_agg(json_build_object('host', name, 'why', case
            when state = 'draining' then 'is drained'
            when quarantined_until is not null then 'is in quarantine: ' || coalesce(last_error, 'it failed')
            when seen_at is null then 'was not reached yet'
            else 'lends no slot: ' || coalesce(note, 'see perpetua fleet') end) order by name)
        from hosts where pool = ${pool} and state <> 'removed' and (state = 'draining' or quarantined_until is not null
          or not exists (select 1 from slots where slots.host = hosts.name and wanted))), '[]') as away
    from waiting`);
  const row = found.rows[0];
  return row && row.trials > 0 ? { pool, ...row } : null;
}

/** Slots of this machine have no row of a host. */
const LENDS = sql`not exists (
  select 1 from hosts where hosts.name = slots.host and (hosts.state <> 'serving' or hosts.quarantined_until is not null))`;
