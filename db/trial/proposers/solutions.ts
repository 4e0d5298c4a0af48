import { sql } from 'drizzle-orm';
import type { KnobValues } from '../../../domain/knob/knob-value.ts';
import type { Tx } from '../../connect.ts';
import { inSearch } from '../in-search.ts';

/** A scored proposal. `isCopy`: its candidate was known, and the value is that of the candidate's first scored run. */
export interface Solution {
  knobs: KnobValues;
  value: number;
  isCopy: boolean;
}

/**
 * Scored proposals of a proposer for candidates of one structure, in the order of their outcomes. The value of a
 * proposal never changes: runs that measure its candidate again do not count.
 */
export async function findSolutions(
  db: Tx,
  {
    researchId,
    taskHash,
    proposer,
    structure,
  }: { researchId: string; taskHash: string; proposer: string; structure: string | null },
): Promise<Solution[]> {
  const { rows } = await db.execute<Solution & Record<string, unknown>>(sql`
    select o.knobs, t.status = 'cached' as "isCopy", scored.value
    from trials t join observations o using (research_id, task_hash, candidate_id)
      cross join lateral (select value from trials first
        where first.candidate_id = t.candidate_id and first.research_id = t.research_id
          and first.task_hash = t.task_hash and first.status = 'completed' and first.value is not null
          and ${inSearch(sql`first.kind`)} and (t.status = 'cached' or first.id = t.id)
        order by first.ended_at, first.n limit 1) scored
    where t.research_id = ${researchId} and t.task_hash = ${taskHash} and t.proposer = ${proposer}
      and t.kind = 'search' and t.status in ('completed', 'cached') and o.knobs is not null
      and o.structure is not distinct from ${structure}
    order by t.ended_at, t.n`);
  return rows;
}
