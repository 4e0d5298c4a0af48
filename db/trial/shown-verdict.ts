import { type SQL, sql } from 'drizzle-orm';
import type { ShownVerdict } from '../../domain/trial.ts';

/** Condition: no person discarded the candidate of the row `line`. */
export const NOT_BY_PERSON = sql`not coalesce(researches.gate->'discardedByPerson' ? line.id, false)`;

/**
 * Verdict of a row of `trials` as people and proposers see it. A discarded candidate that is the lead or one of its
 * ancestors, so that the lead has its edit, is `absorbed`, unless a person discarded it. The stored verdict stays,
 * because the lead may go back. If `researchId` is a value, the statement computes the lead's line once. `row`: the
 * table's name in the statement.
 */
export const shownVerdict = (researchId: string | SQL, row: SQL = sql`trials`) => sql<ShownVerdict | null>`(
  case when ${row}.verdict = 'discard' and ${row}.candidate_id in (
    with recursive line(id) as (
      select gate->>'leadId' from researches where researches.id = ${researchId}
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select line.id from line join researches on researches.id = ${researchId} where ${NOT_BY_PERSON})
  then 'absorbed' else ${row}.verdict end)`;
