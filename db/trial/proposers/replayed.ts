import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

/** A candidate of a research, by the number of the trial that first proposed it. */
export interface ReplayedCandidate {
  candidateId: string;
  n: number;
  hypothesis: string | null;
}

/**
 * Candidates that a research proposed, without its unmodified version: in the order of their trials, or by their mean
 * under the research's task version, best first, without those that have none.
 */
export async function findReplayed(
  db: Tx,
  { researchId, best, most }: { researchId: string; best: 'minimize' | 'maximize' | null; most: number | null },
): Promise<ReplayedCandidate[]> {
  const order = best === null ? sql`n` : sql`value ${sql.raw(best === 'minimize' ? 'asc' : 'desc')}, n`;
  const { rows } = await db.execute<ReplayedCandidate & Record<string, unknown>>(sql`
    with proposed as (
      select distinct on (t.candidate_id) t.candidate_id, t.n, t.hypothesis
      from trials t join researches r on r.id = t.research_id
      where t.research_id = ${researchId} and t.candidate_id is not null and t.kind in ('search', 'injected')
        and t.candidate_id <> r.baseline_candidate
      order by t.candidate_id, t.n)
    select p.candidate_id as "candidateId", p.n, p.hypothesis
    from proposed p join researches r on r.id = ${researchId}
      left join observations o on o.research_id = r.id and o.task_hash = r.task_hash
        and o.candidate_id = p.candidate_id
    where ${best === null ? sql`true` : sql`o.value is not null`}
    order by ${order} limit ${most}`);
  return rows;
}

/** Proposals of a proposer in a research under a version of its task. */
export async function countProposals(
  db: Tx,
  { researchId, taskHash, proposer }: { researchId: string; taskHash: string; proposer: string },
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from trials where research_id = ${researchId} and task_hash = ${taskHash}
      and proposer = ${proposer} and candidate_id is not null`);
  return rows[0]?.count ?? 0;
}
