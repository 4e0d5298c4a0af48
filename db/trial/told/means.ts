import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

/** A candidate's runs under the metric that its research has now. */
export interface CandidateMean {
  candidateId: string;
  /** Of the proposal that made it first; null where none did, as of the original. */
  n: number | null;
  /** Null where no run is scored. */
  mean: number | null;
  runs: number;
}

/** Means over the scored runs of candidates, by candidate; those that never ran are left out. */
export async function findCandidateMeans(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Map<string, CandidateMean>> {
  if (candidateIds.length === 0) return new Map();
  const { rows } = await db.execute<CandidateMean & Record<string, unknown>>(sql`
    select t.candidate_id as "candidateId", min(t.n) filter (where t.kind in ('search', 'injected')) as n,
      avg(t.value) filter (where t.status = 'completed')::float8 as mean,
      (count(*) filter (where t.status = 'completed'))::int as runs
    from trials t join task_versions v on v.hash = t.task_hash
    where t.research_id = ${researchId} and t.candidate_id = any(${sql.param([...candidateIds])}::text[])
      and v.metric_key = ${metricKeyOf(researchId)}
    group by t.candidate_id`);
  return new Map(rows.map((row) => [row.candidateId, row]));
}

/** The metric that a research has now. */
export const metricKeyOf = (researchId: string) => sql`(
  select now.metric_key from researches r join task_versions now on now.hash = r.task_hash where r.id = ${researchId})`;
