import { sql } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { doubtHost } from './looks.ts';
import { freeSlot } from './slots.ts';

/**
 * Frees the slot of a run that nobody saw gone, though it may have ended: what answers for it may run on. On a host of the
 * fleet its row is open again, and the slot is lent only once a look that begins after this has ended what is left of it. One
 * that was launched, and whose slot is free already, is left as it is: whoever freed that has seen it gone, or opened it.
 */
export async function freeUnseen(db: Db, run: { trialId: string; placement: number; fence: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ host: string }>(sql`
      update runs set ended_at = null from hosts
      where runs.trial_id = ${run.trialId} and placement = ${run.placement} and hosts.name = runs.host and (
        launched_at is null or exists (
          select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = ${run.fence} and slots.state = 'leased'))
      returning runs.host`);
    for (const { host } of rows) {
      await doubtHost(tx, host);
      await tx.execute(sql`
        update slots set wanted = false
        where trial_id = ${run.trialId} and fence = ${run.fence} and host = ${host} and state = 'leased'`);
    }
    await freeSlot(tx, run);
  });
}
