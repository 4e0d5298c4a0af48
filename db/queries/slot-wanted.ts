import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/**
 * Whether a trial of another task waits for a slot of this one's pool while none is left. One that waits for room itself could
 * do no more with it.
 */
export async function isSlotWanted(db: Tx, { trialId }: { trialId: string }): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from trials own join trials other on other.pool = own.pool and other.task_hash <> own.task_hash
    where own.id = ${trialId} and other.status is null and other.waits_for is null
      and (other.ready_at is not null or other.candidate_id is not null)
      and not exists (select 1 from runs where runs.trial_id = other.id)
      and not exists (select 1 from slots where slots.trial_id = other.id and slots.state = 'leased')
      and not exists (select 1 from slots where slots.pool = own.pool and slots.state in ('free', 'offered') and slots.wanted)
    limit 1`);
  return rows.rows.length > 0;
}
