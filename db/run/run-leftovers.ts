import { inArray, sql } from 'drizzle-orm';
import type { FailureLabel } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';

/** A placement of a job that has ended: what is left of it on its host is of use to nobody. */
export interface RunLeftover extends Record<string, unknown> {
  trialId: string;
  placement: number;
  host: string;
}

/** Earlier placements of a trial on hosts of the fleet that are well, of which nothing runs any more. */
export async function findEarlierPlacements(
  db: Tx,
  key: { trialId: string; placement: number },
): Promise<RunLeftover[]> {
  const rows = await db.execute<RunLeftover>(sql`
    select trial_id as "trialId", placement, host from runs join hosts on hosts.name = runs.host
    where trial_id = ${key.trialId} and placement < ${key.placement} and ended_at is not null and removed_at is null
      and seen_at is not null and quarantined_until is null
    order by placement`);
  return rows.rows;
}

/** Labels of trials that are ended without a score: nobody may have asked the host of their last run to remove it. */
const ABANDONED: FailureLabel[] = [
  'stopped-by-operator',
  'workflow-closed',
  'machine-lost',
  'contended',
  'setup-failed',
  'infrastructure',
];

/**
 * On a host, earlier placements of trials that got their outcome since, or while nobody could ask the host, the last ones of
 * those that were ended without a score, and all of other jobs.
 */
export async function findLeftoversOn(
  db: Tx,
  { host, since }: { host: string; since: Date | null },
): Promise<RunLeftover[]> {
  const rows = await db.execute<RunLeftover>(sql`
    select trial_id as "trialId", runs.placement, host from runs
      join jobs on jobs.id = runs.trial_id left join trials on trials.id = runs.trial_id
    where host = ${host} and runs.ended_at is not null and removed_at is null
      and (jobs.kind <> 'trial' or runs.placement < trials.placement or ${inArray(trials.failure, ABANDONED)})
      and jobs.ended_at > coalesce(${since}::timestamptz, '-infinity') - interval '1 minute'
    order by trial_id, runs.placement`);
  return rows.rows;
}
