import { type SQL, sql } from 'drizzle-orm';
import type { ShownVerdict } from '../../domain/trial.ts';

/**
 * The verdict of a row of `trials` as people and proposers are told it: one that is discarded while the lead has its edit, since
 * it was made from it or is it, is `absorbed`. The stored verdict stays: the lead may go back. The line of the lead is worked
 * out once for a statement whose `researchId` is a value. `row`: the name of the table there.
 */
export const shownVerdict = (researchId: string | SQL, row: SQL = sql`trials`) => sql<ShownVerdict | null>`(
  case when ${row}.verdict = 'discard' and ${row}.candidate_id in (
    with recursive line(id) as (
      select gate->>'leadId' from researches where researches.id = ${researchId}
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select line.id from line)
  then 'absorbed' else ${row}.verdict end)`;
