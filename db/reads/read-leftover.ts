import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Leftovers of a fleet: trials on hosts that were removed, and researches whose pool has no host. */
export interface Leftover {
  /** Trials that hold a slot of a removed host: they continue there to their end. */
  running: { host: string; trial: string }[];
  /** Researches with trials that wait for a pool without a host. */
  poolless: { research: string; pool: string }[];
}

export async function readLeftover(db: Tx): Promise<Leftover> {
  const running = await db.execute<Leftover['running'][number] & Record<string, unknown>>(sql`
    select runs.host, runs.trial_id as trial from runs join hosts on hosts.name = runs.host
    where hosts.state = 'removed' and exists (
      select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = runs.fence and slots.state = 'leased')
    order by 1, 2`);
  const poolless = await db.execute<Leftover['poolless'][number] & Record<string, unknown>>(sql`
    select distinct jobs.research_id as research, jobs.pool from jobs
    where jobs.kind = 'trial' and jobs.ended_at is null and jobs.pool <> 'local'
      and not exists (select 1 from slots where slots.trial_id = jobs.id and slots.state = 'leased')
      and not exists (select 1 from hosts where hosts.pool = jobs.pool and hosts.state <> 'removed') order by 1, 2`);
  return { running: running.rows, poolless: poolless.rows };
}
