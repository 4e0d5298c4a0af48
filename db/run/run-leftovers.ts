import { inArray, sql } from 'drizzle-orm';
import type { FailureLabel } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';

/** An ended placement of a job, whose leftovers on its host are of no use. */
export interface RunLeftover extends Record<string, unknown> {
  jobId: string;
  placement: number;
  host: string;
}

/** Ended earlier placements of a trial, with leftovers, on fleet hosts that were probed and are not quarantined. */
export async function findEarlierPlacements(db: Tx, key: { jobId: string; placement: number }): Promise<RunLeftover[]> {
  const rows = await db.execute<RunLeftover>(sql`
    select trial_id as "jobId", placement, host from runs join hosts on hosts.name = runs.host
    where trial_id = ${key.jobId} and placement < ${key.placement} and ended_at is not null and removed_at is null
      and seen_at is not null and quarantined_until is null
    order by placement`);
  return rows.rows;
}

/** Labels of trials that end without a score. Possibly no worker has requested the removal of their last run. */
const ABANDONED: FailureLabel[] = [
  'stopped-by-operator',
  'workflow-closed',
  'machine-lost',
  'contended',
  'setup-failed',
  'database-failed',
  'infrastructure',
];

/**
 * Leftovers of jobs on `host`. The jobs ended after `since`, when the host's absence began (null: at any time): earlier
 * placements of trials, last placements of trials that ended without a score, and all placements of other jobs.
 */
export async function findLeftoversOn(
  db: Tx,
  { host, since }: { host: string; since: Date | null },
): Promise<RunLeftover[]> {
  const rows = await db.execute<RunLeftover>(sql`
    select trial_id as "jobId", runs.placement, host from runs
      join jobs on jobs.id = runs.trial_id left join trials on trials.id = runs.trial_id
    where host = ${host} and runs.ended_at is not null and removed_at is null
      and (jobs.kind <> 'trial' or runs.placement < trials.placement or ${inArray(trials.failure, ABANDONED)})
      and jobs.ended_at > coalesce(${since}::timestamptz, '-infinity') - interval '1 minute'
    order by trial_id, runs.placement`);
  return rows.rows;
}
