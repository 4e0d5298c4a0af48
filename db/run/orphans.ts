import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { RunLeftover } from './run-leftovers.ts';

/** A placement whose host may still run it, while the trial goes on without it. */
export interface Orphan extends Record<string, unknown> {
  jobId: string;
  placement: number;
  fence: number;
}

/** True for a row of `runs` that is an orphan on the host: without a lease, and without an end. */
const isOrphan = (host: SQL): SQL => sql`
  runs.host = ${host} and runs.ended_at is null and not exists (
    select 1 from slots where slots.trial_id = runs.trial_id and slots.fence = runs.fence and slots.state = 'leased')`;

/** True if a host has orphans: runs that no monitor follows and whose end is not known. */
export const hasOrphans = (host: SQL): SQL => sql`exists (select 1 from runs where ${isOrphan(host)})`;

/** Orphans of a host. */
export async function findOrphans(db: Tx, host: string): Promise<Orphan[]> {
  const rows = await db.execute<Orphan>(sql`
    select trial_id as "jobId", placement, fence::float8 as fence from runs where ${isOrphan(sql`${host}`)}`);
  return rows.rows;
}

/** Most rows of a job in one call. If there are more, their removal has failed for long, and would fail again. */
const MOST = 32;

/**
 * Ended placements of a job, up to this one, whose directories are not removed yet; newest first. Hosts of the fleet
 * count only if they were probed and are not quarantined.
 */
export async function findOlderRuns(db: Tx, key: { jobId: string; placement: number }): Promise<RunLeftover[]> {
  const rows = await db.execute<RunLeftover>(sql`
    select trial_id as "jobId", placement, host from runs left join hosts on hosts.name = runs.host
    where trial_id = ${key.jobId} and placement <= ${key.placement} and ended_at is not null and removed_at is null
      and (hosts.name is null or (seen_at is not null and quarantined_until is null))
    order by placement desc limit ${MOST}`);
  return rows.rows;
}

/**
 * Removes the stored output of a job's placements up to this one. The output is no longer needed, even if the
 * directories cannot be removed.
 */
export async function forgetOutputs(db: Tx, key: { jobId: string; placement: number }): Promise<void> {
  await db.execute(sql`
    with said as (
      update runs set log_tail = null
      where trial_id = ${key.jobId} and placement <= ${key.placement} and log_tail is not null)
    delete from outputs where job_id = ${key.jobId} and placement <= ${key.placement}`);
}

/** Stores that the directory of a run was removed. */
export async function noteRemoved(db: Tx, key: { jobId: string; placement: number }): Promise<void> {
  await db.execute(
    sql`update runs set removed_at = now() where trial_id = ${key.jobId} and placement = ${key.placement}`,
  );
}
