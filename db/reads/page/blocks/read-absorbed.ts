import { sql } from 'drizzle-orm';
import type { Tx } from '../../../connect.ts';
import { NOT_BY_PERSON } from '../../../trial/shown-verdict.ts';

/** Numbers of discarded trials whose edit is in the lead: `shownVerdict` gives them the verdict `absorbed`. */
export async function readAbsorbed(db: Tx, researchId: string): Promise<Set<number>> {
  const { rows } = await db.execute<{ n: number }>(sql`
    with recursive line(id) as (
      select gate->>'leadId' from researches where id = ${researchId}
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select trials.n from line join trials on trials.candidate_id = line.id
      join researches on researches.id = trials.research_id
    where trials.research_id = ${researchId} and trials.verdict = 'discard' and ${NOT_BY_PERSON}`);
  return new Set(rows.map(({ n }) => n));
}
