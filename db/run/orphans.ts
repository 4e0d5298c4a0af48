import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A placement whose host may still run it, while the trial goes on without it. */
export interface Orphan extends Record<string, unknown> {
  trialId: string;
  placement: number;
  fence: number;
}

/** SQL of a row of `runs` of a host: nobody follows it any more, and nobody saw it end. */
const isOrphan = (host: SQL): SQL => sql`
  runs.host = ${host} and runs.ended_at is null and not exists (
    select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = runs.fence and slots.state = 'leased')`;

/** Whether a host has runs that nobody follows any more and that nobody saw end. */
export const hasOrphans = (host: SQL): SQL => sql`exists (select 1 from runs where ${isOrphan(host)})`;

/** Those runs of a host. */
export async function findOrphans(db: Tx, host: string): Promise<Orphan[]> {
  const rows = await db.execute<Orphan>(sql`
    select trial_id as "trialId", placement, fence::float8 as fence from runs where ${isOrphan(sql`${host}`)}`);
  return rows.rows;
}
