import { eq, sql } from 'drizzle-orm';
import type { FailureLabel, TrialStatus } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { taskVersions, trials } from '../../schema.ts';
import { ranBeside, type Trial } from '../proposal.ts';

/** How a known candidate did. */
export interface SeenRow {
  n: number;
  status: TrialStatus | null;
  failure: FailureLabel | null;
  failureMessage: string | null;
  value: number | null;
}

/**
 * Another trial of the research that ran a candidate, or is about to, whatever its number, as `findTwin` counts them; one with
 * a score before one that is under way, and that before one that failed.
 */
export async function findSeen(
  db: Tx,
  { trial, candidateId }: { trial: Trial; candidateId: string },
): Promise<SeenRow | undefined> {
  const { n, status, failure, failureMessage, value } = trials;
  const rows = await db
    .select({ n, status, failure, failureMessage, value })
    .from(trials)
    .innerJoin(taskVersions, eq(taskVersions.hash, trials.taskHash))
    .where(ranBeside(trial, [candidateId]))
    .orderBy(sql`coalesce(${status} = 'completed', false) desc, ${status} is null desc`, n)
    .limit(1);
  return rows[0];
}

/** The trials that copies are copies of, as they stand now, by candidate. */
export async function findOriginals(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Map<string, SeenRow>> {
  if (candidateIds.length === 0) return new Map();
  const { rows } = await db.execute<SeenRow & { candidateId: string } & Record<string, unknown>>(sql`
    select distinct on (candidate_id) candidate_id as "candidateId", n, status, failure,
      failure_message as "failureMessage", value
    from trials
    where research_id = ${researchId} and candidate_id = any(${sql.param([...candidateIds])}::text[])
      and coalesce(status, 'running') <> 'cached'
    order by candidate_id, coalesce(status = 'completed', false) desc, status is null desc, n`);
  return new Map(rows.map((row) => [row.candidateId, row]));
}
