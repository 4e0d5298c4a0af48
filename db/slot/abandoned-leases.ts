import { sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A lease of an open trial whose research seems to have nobody left, or of a job of no research. */
export interface AbandonedLease extends Record<string, unknown> {
  trialId: string;
  /** Null of a job of no research. */
  researchId: string | null;
  /** Five minutes have passed in which its workflow might have been started again, where Temporal knows of none. */
  isSilent: boolean;
}

/**
 * Leases of open trials of other researches than this one, older than a minute, whose research has not written its row
 * for five: one that is under way writes it once a minute, and one that was ended by mistake has time to be started again
 * and to take its trials up. Silence counts from the start of whoever asks, `upSeconds` ago: after a night off everybody
 * was silent. A command or a server has nobody but its own workflow, which only Temporal knows of: its silence counts from its
 * lease. What is noted to be begun again is left to whoever does that.
 */
export async function findAbandonedLeases(
  db: Tx,
  input: { researchId: string; upSeconds: number },
): Promise<AbandonedLease[]> {
  const silentSince = (sign: SQL): SQL =>
    sql`greatest(${sign}, now() - make_interval(secs => ${input.upSeconds})) < now() - interval '5 minutes'`;
  const rows = await db.execute<AbandonedLease>(sql`
    select jobs.id as "trialId", jobs.research_id as "researchId",
      jobs.kind = 'trial' or ${silentSince(sql`slots.leased_at`)} as "isSilent" from slots
    join jobs on jobs.id = slots.trial_id left join researches on researches.id = jobs.research_id
    where slots.state = 'leased' and jobs.ended_at is null and slots.leased_at < now() - interval '1 minute'
      and jobs.id not in (select workflow_id from restarts)
      and (jobs.kind in ('command', 'server') or (jobs.kind = 'trial' and jobs.research_id <> ${input.researchId} and ${silentSince(sql`researches.updated_at`)}))`);
  return rows.rows;
}
