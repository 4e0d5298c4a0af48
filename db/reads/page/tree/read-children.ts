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
    select made.candidate_id as id from trials made
    where made.research_id = ${researchId} and made.candidate_id <> made.parent_id
      and made.parent_id in (select jsonb_array_elements_text(${JSON.stringify(parents)}::jsonb))
      and not exists (
        select 1 from trials earlier where earlier.candidate_id = made.candidate_id and earlier.research_id = made.research_id
          and earlier.n < made.n)
    order by case when made.status = 'completed' then nullif(made.value, 'NaN') end ${better} nulls last, made.n limit ${limit}`);
  return rows.map(({ id }) => id);
}
