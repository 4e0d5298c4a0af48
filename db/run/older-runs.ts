import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { Left } from './left.ts';

/** Rows of a job that are looked at in one go: more have failed to go for long, and would fail again. */
const MOST = 32;

/**
 * Placements of a job up to this one that have ended, and whose directory nobody has removed, on hosts that are well or no
 * fleet's, the newest first.
 */
export async function findOlderRuns(db: Tx, key: { trialId: string; placement: number }): Promise<Left[]> {
  const rows = await db.execute<Left>(sql`
    select trial_id as "trialId", placement, host from runs left join hosts on hosts.name = runs.host
    where trial_id = ${key.trialId} and placement <= ${key.placement} and ended_at is not null and removed_at is null
      and (hosts.name is null or (seen_at is not null and quarantined_until is null))
    order by placement desc limit ${MOST}`);
  return rows.rows;
}

/** What the placements of a job up to this one had printed is of no use any more, whether or not their directories can be removed. */
export async function forgetOutputs(db: Tx, key: { trialId: string; placement: number }): Promise<void> {
  await db.execute(sql`
    with said as (
      update runs set log_tail = null
      where trial_id = ${key.trialId} and placement <= ${key.placement} and log_tail is not null)
    delete from outputs where job_id = ${key.trialId} and placement <= ${key.placement}`);
}

/** The directory of a run is gone. */
export async function noteRemoved(db: Tx, key: { trialId: string; placement: number }): Promise<void> {
  await db.execute(
    sql`update runs set removed_at = now() where trial_id = ${key.trialId} and placement = ${key.placement}`,
  );
}
