import { sql } from 'drizzle-orm';
import { BY_PERSON } from '../../../domain/gate/claim/override.ts';
import type { UnclaimedIdea } from '../../../view/report/report.ts';
import type { Tx } from '../../connect.ts';
import { isComparable } from '../../trial/comparable.ts';
import { inSearch } from '../../trial/in-search.ts';
import { isMeasure } from './is-measure.ts';
import type { ResearchView } from '../read-research.ts';

/** Most ideas that a report names. */
const MOST = 5;

/**
 * Candidates whose mean is better than that of the best; the best mean first. Without those that a person has
 * discarded.
 */
export async function readUnclaimed(
  db: Tx,
  { research, best }: { research: ResearchView; best: number | null },
): Promise<UnclaimedIdea[]> {
  if (best === null) return [];
  const { id, taskHash, task, gate } = research;
  const sign = task.metric.direction === 'maximize' ? 1 : -1;
  const { rows } = await db.execute<Omit<UnclaimedIdea, 'gain'> & Record<string, unknown>>(sql`
    select min(n) filter (where kind in ('search', 'injected')) as n, avg(value)::float8 as value,
      count(*)::int as runs, bool_and(coalesce(trusted, true)) as trusted,
      (array_agg(hypothesis order by n) filter (where hypothesis is not null))[1] as hypothesis
    from trials
    where research_id = ${id} and status = 'completed' and ${inSearch(sql`kind`)} and ${isComparable(taskHash)}
      and candidate_id <> ${gate.incumbentId} and reused_from is null and ${isMeasure(sql`value`)}
    group by candidate_id
    having not bool_or(verdict = 'discard' and starts_with(coalesce(reason, ''), ${BY_PERSON}))
      and ${sign} * (avg(value) - ${best}) > 0 and bool_or(kind in ('search', 'injected'))
    order by ${sign} * avg(value) desc, min(n) limit ${MOST}`);
  return rows.map((row) => ({ ...row, gain: sign * (row.value - best) }));
}
