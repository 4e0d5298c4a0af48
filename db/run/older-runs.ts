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

/** The directory of a run is gone, and so is what it had printed. */
export async function forgetOutput(db: Tx, key: { trialId: string; placement: number }): Promise<void> {
  await db.execute(sql`
    with removed as (
      update runs set removed_at = now(), log_tail = null
      where trial_id = ${key.trialId} and placement = ${key.placement} returning trial_id, placement)
    delete from outputs using removed where job_id = removed.trial_id and outputs.placement = removed.placement`);
}
