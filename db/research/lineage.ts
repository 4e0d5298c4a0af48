import { sql } from 'drizzle-orm';
import type { LineageNode } from '../../domain/search/parent.ts';
import type { Tx } from '../connect.ts';
import { isWithinBounds, taskHashOf, versionsWithMetricOf } from '../trial/comparable.ts';

/**
 * Lineage of a research for its parent rule, oldest candidate first: every candidate that has a run, or that a proposal
 * was made from, under the research's current metric.
 */
export async function readLineage(db: Tx, researchId: string): Promise<LineageNode[]> {
  const taskHash = taskHashOf(researchId);
  const { rows } = await db.execute<LineageNode & Record<string, unknown>>(sql`
    with comparable as (
      select * from trials where research_id = ${researchId} and kind <> 'evaluation'
        and task_hash in ${versionsWithMetricOf(taskHash)}
        and (status is distinct from 'completed' or ${isWithinBounds(sql`value`, taskHash)})),
    made as (
      select candidate_id, min(n) as first,
        (array_agg(parent_id order by n) filter (where kind in ('search', 'injected')))[1] as parent_id,
        avg(value) filter (where status = 'completed') as value,
        count(*) filter (where status = 'completed') as runs
      from comparable where candidate_id is not null group by candidate_id),
    visited as (
      select parent_id as candidate_id, min(n) as first, count(*) as visits,
        count(*) filter (where status is null) as in_flight
      from comparable where parent_id is not null group by parent_id)
    select candidate_id as "candidateId", nullif(made.parent_id, candidate_id) as "parentId", made.value as "value",
      coalesce(made.runs, 0)::int as "runs", coalesce(visited.visits, 0)::int as "visits",
      coalesce(visited.in_flight, 0)::int as "inFlight"
    from made full join visited using (candidate_id)
    order by least(made.first, visited.first), candidate_id`);
  return rows;
}
