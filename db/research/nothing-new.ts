import { sql } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';

/**
 * Why the proposers of a research, which all draw, have nothing new to propose, in the words of a trial that found so. Null
 * where one of them did not, or something changed since: the task, a proposer, a candidate of another origin, a run that left
 * no outcome.
 */
export async function findNothingNew(
  tx: Tx,
  { researchId, drawers }: { researchId: string; drawers: readonly string[] },
): Promise<string | null> {
  const found = await tx.execute<{ message: string }>(sql`
    select max(found.failure_message) as message
    from trials found join researches on researches.id = found.research_id
    where found.research_id = ${researchId} and found.failure = 'nothing-new'
      and found.proposer = any(${sql.param([...drawers])}::text[]) and found.task_hash = researches.task_hash
      and not exists (
        select 1 from trials later
        where later.research_id = ${researchId} and later.ended_at > found.ended_at
          and later.kind = any(${sql.param(PROPOSAL_KINDS)})
          and (later.kind = 'injected' or later.status = 'lost' or later.failure = 'stopped-by-operator'
            or (later.created_at > found.ended_at and later.status not in ('rejected', 'cached'))))
    having count(distinct found.proposer) = ${new Set(drawers).size}`);
  return found.rows[0]?.message ?? null;
}
