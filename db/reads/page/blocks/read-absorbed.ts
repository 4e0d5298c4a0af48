import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';

/** Numbers of discarded trials whose edit is in the lead: `shownVerdict` gives them the verdict `absorbed`. */
export async function readAbsorbed(db: Tx, researchId: string): Promise<Set<number>> {
  const { rows } = await db.execute<{ n: number }>(sql`
    with recursive line(id) as (
      select gate->>'leadId' from researches where id = ${researchId}
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select trials.n from line join trials on trials.candidate_id = line.id
    where trials.research_id = ${researchId} and trials.verdict = 'discard'`);
  return new Set(rows.map(({ n }) => n));
}
