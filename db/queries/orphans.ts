import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A placement whose host may still run it, while the trial goes on without it. */
export interface Orphan extends Record<string, unknown> {
  trialId: string;
  placement: number;
  fence: number;
}

/** Runs of a host that nobody follows any more and that nobody saw end. */
export async function findOrphans(db: Tx, host: string): Promise<Orphan[]> {
  const rows = await db.execute<Orphan>(sql`
    select trial_id as "trialId", placement, fence::float8 as fence from runs
    where host = ${host} and ended_at is null and not exists (
      select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = runs.fence and slots.state = 'leased')`);
  return rows.rows;
}
