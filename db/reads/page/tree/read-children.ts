import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

interface Below {
  researchId: string;
  /** Candidates whose children are wanted. */
  parents: readonly string[];
  direction: 'minimize' | 'maximize';
  limit: number;
}

/** Candidates that were made from these, those with the best values first. */
export async function readChildren(db: Tx, { researchId, parents, direction, limit }: Below): Promise<string[]> {
  const better = direction === 'minimize' ? sql`asc` : sql`desc`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select made.id from (
      select candidate_id as id, n from trials
      where research_id = ${researchId} and candidate_id <> parent_id
        and parent_id in (select jsonb_array_elements_text(${JSON.stringify(parents)}::jsonb))
      order by case when status = 'completed' then nullif(value, 'NaN') end ${better} nulls last, n offset 0) made
    -- Asked of one after the other until there are enough, not of all of them before.
    where made.n = (
      select min(n) from trials where trials.candidate_id = made.id and trials.research_id = ${researchId} offset 0)
    limit ${limit}`);
  return rows.map(({ id }) => id);
}
