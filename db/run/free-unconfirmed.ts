import { eq, sql } from 'drizzle-orm';
import type { Db } from '../connect.ts';
import { hosts } from '../schema.ts';
import { requestProbe, type ProbeMark } from '../host/host-probes.ts';
import { closeRun } from './run.ts';
import { freeSlot } from '../slot/slots.ts';

type Key = { jobId: string; placement: number };

/**
 * Frees the slot of a run whose end nobody confirmed: processes of it may still run. On a host of the fleet, the run's
 * row is opened again. The slot is lent only after a probe that begins later has ended the leftovers. A launched run
 * whose slot is free already stays as it is: the caller that freed the slot confirmed the end, or opened the row.
 */
export async function freeUnconfirmed(db: Db, run: Key & { fence: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ host: string }>(sql`
      select hosts.name as host from runs join hosts on hosts.name = runs.host
      where runs.trial_id = ${run.jobId} and runs.placement = ${run.placement} and (
        launched_at is null or exists (
          select 1 from slots
          where slots.trial_id = runs.trial_id and slots.fence = ${run.fence} and slots.state = 'leased'))`);
    for (const { host } of rows) {
      // Locks the host's row first, as closeOrphan does.
      await requestProbe(tx, host);
      await tx.execute(sql`
        update runs set ended_at = null where trial_id = ${run.jobId} and placement = ${run.placement}`);
      await tx.execute(sql`
        update slots set wanted = false
        where trial_id = ${run.jobId} and fence = ${run.fence} and host = ${host} and state = 'leased'`);
    }
    await freeSlot(tx, run);
  });
}

/**
 * Closes a run that a probe has ended, unless its host failed, or a new probe was requested, since that probe began: a
 * process of the run may have started after the kill, and the next probe ends it.
 */
export async function closeOrphan(db: Db, run: Key & { host: string; mark: ProbeMark | undefined }): Promise<void> {
  const { host, mark } = run;
  await db.transaction(async (tx) => {
    const [row] = await tx.select({ doubts: hosts.doubts }).from(hosts).where(eq(hosts.name, host)).for('update');
    if (!mark || row?.doubts === mark.doubts) await closeRun(tx, run);
  });
}
