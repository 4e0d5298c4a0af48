import { sql } from 'drizzle-orm';
import type { Calibration } from '../../../view/report/report.ts';
import type { Tx } from '../../connect.ts';
import { isComparable } from '../../trial/comparable.ts';
import { inSearch } from '../../trial/in-search.ts';
import { isMeasure } from './is-measure.ts';
import type { ResearchView } from '../read-research.ts';

/**
 * Expected and actual changes of each proposer's candidates against their parents, the most candidates first. The
 * actual change is the difference of the means of their runs.
 */
export async function readCalibration(db: Tx, { id, taskHash }: ResearchView): Promise<Calibration[]> {
  const { rows } = await db.execute<Calibration & Record<string, unknown>>(sql`
    with means as (
      select candidate_id, avg(value) as value from trials
      where research_id = ${id} and status = 'completed' and ${inSearch(sql`kind`)} and ${isComparable(taskHash)}
        and ${isMeasure(sql`value`)}
      group by candidate_id),
    pairs as (
      select coalesce(trials.arm, trials.proposer) as proposer, trials.expected_delta as expected,
        own.value - parent.value as actual
      from trials join means own on own.candidate_id = trials.candidate_id
        join means parent on parent.candidate_id = trials.parent_id
      where trials.research_id = ${id} and trials.kind = 'search' and trials.status = 'completed'
        and ${isMeasure(sql`trials.expected_delta`)})
    select proposer, count(*)::int as candidates, avg((sign(expected) = sign(actual))::int)::float8 as "rightDirection",
      avg(expected)::float8 as expected, avg(actual)::float8 as actual
    from pairs where proposer is not null group by proposer order by candidates desc, proposer`);
  return rows;
}
