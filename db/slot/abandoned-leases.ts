import { sql, type SQL } from 'drizzle-orm';
import { ASKED_KINDS } from '../../domain/job.ts';
import type { Tx } from '../connect.ts';

/** A lease of an open trial whose research seems to have no workflow, or of a job without a research. */
export interface AbandonedLease extends Record<string, unknown> {
  /** The trial's id for the lease of an agent that makes its proposal. */
  jobId: string;
  /** Null for a job without a research. */
  researchId: string | null;
  /** True after five minutes in which a missing workflow could have been started again. */
  isSilent: boolean;
}

/**
 * Leases older than a minute that belong to open trials of other researches, their agents included, or to commands and
 * servers.
 *
 * A trial's research must have left its row unchanged for five minutes. A research under way writes its row once a
 * minute. A research that was ended by mistake has time to be started again and to adopt its trials. Silence counts
 * from the caller's start (`upSeconds` ago) at the earliest, because after an outage all researches seem silent.
 *
 * Only Temporal lists the workflow of a command or a server, so its silence counts from its lease. Workflows with a
 * noted restart are left to that restart.
 */
export async function findAbandonedLeases(
  db: Tx,
  input: { researchId: string; upSeconds: number },
): Promise<AbandonedLease[]> {
  const silentSince = (sign: SQL): SQL =>
    sql`greatest(${sign}, now() - make_interval(secs => ${input.upSeconds})) < now() - interval '5 minutes'`;
  const isAsked = sql`jobs.kind = any(${sql.param([...ASKED_KINDS])}::text[])`;
  const rows = await db.execute<AbandonedLease>(sql`
    select owner.id as "jobId", jobs.research_id as "researchId",
      not ${isAsked} or ${silentSince(sql`slots.leased_at`)} as "isSilent"
    from slots join jobs on jobs.id = slots.trial_id left join researches on researches.id = jobs.research_id
      cross join lateral (select coalesce(jobs.spec->'agent'->>'trialId', jobs.id) as id) owner
    where slots.state = 'leased' and jobs.ended_at is null and slots.leased_at < now() - interval '1 minute'
      and owner.id not in (select workflow_id from restarts)
      and (${isAsked} or (jobs.research_id <> ${input.researchId} and ${silentSince(sql`researches.updated_at`)}))`);
  return rows.rows;
}
