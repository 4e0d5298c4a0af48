import { sql } from 'drizzle-orm';
import { shownCases, type Feedback } from '../../../domain/metric/feedback.ts';
import type { ShownFeedback } from '../../../domain/prompt/search-facts.ts';
import type { Tx } from '../../connect.ts';
import { inSearch } from '../in-search.ts';

/**
 * Cases of the evaluator that proposers may read: those of the latest trial that ran a candidate, and those of the last
 * trials. A trial whose artefact may have executed code in the evaluator is left out: it could report any text.
 */
export async function findFeedback(
  db: Tx,
  { researchId, candidateId, last }: { researchId: string; candidateId: string; last: number },
): Promise<ShownFeedback[]> {
  const readable = sql`research_id = ${researchId} and feedback is not null and artefact_code is null
    and ${inSearch(sql`kind`)}`;
  const { rows } = await db.execute<{ n: number; feedback: Feedback; isParent: boolean }>(sql`
    with parent as (
      select n, feedback from trials where ${readable} and candidate_id = ${candidateId} order by n desc limit 1),
    recent as (
      select n, feedback from trials where ${readable} and kind in ('search', 'injected')
        and candidate_id <> ${candidateId} order by n desc limit ${last})
    select n, feedback, true as "isParent" from parent
    union all select n, feedback, false from recent order by "isParent" desc, n desc`);
  return rows
    .map(({ feedback, ...row }) => ({ ...row, ...shownCases(feedback) }))
    .filter(({ cases }) => cases.length > 0);
}
