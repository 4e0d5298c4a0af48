import { and, asc, eq, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { trials } from '../../schema.ts';
import { isComparable, taskHashOf } from '../comparable.ts';
import { inSearch } from '../in-search.ts';

/** Single results that are compared for each best trial that is wanted. */
const COMPARED = 8;

/**
 * Numbers of the trials that made the best candidates, best first. A candidate ranks by the mean of its runs less one
 * standard error, because the best of many single runs were lucky. `sd`: of one run. `sign`: 1 if greater is better,
 * else −1. An array in place of a join makes Postgres use the index of candidates, not read all trials.
 */
export async function findBestTrials(
  db: Tx,
  { researchId, sign, sd, limit }: { researchId: string; sign: 1 | -1; sd: number; limit: number },
): Promise<number[]> {
  if (limit === 0) return [];
  const comparable = isComparable(taskHashOf(researchId), sql`t`);
  const { rows } = await db.execute<{ n: number }>(sql`
    with looked as (
      select t.candidate_id from trials t
      where t.research_id = ${researchId} and t.status = 'completed'
        and t.value is not null and t.kind in ('search', 'injected') and ${comparable}
        and t.candidate_id <> (select baseline_candidate from researches where id = ${researchId})
      order by t.value ${sql.raw(sign === 1 ? 'desc' : 'asc')} limit ${limit * COMPARED})
    select min(t.n) filter (where t.kind in ('search', 'injected')) as n
    from trials t
    where t.research_id = ${researchId} and t.candidate_id = any(array(select candidate_id from looked))
      and t.status = 'completed' and ${inSearch(sql`t.kind`)} and ${comparable}
    group by t.candidate_id
    order by ${sign}::int * avg(t.value) - ${sd}::float8 / sqrt(count(*)) desc, 1 limit ${limit}`);
  return rows.map(({ n }) => n);
}

/** Proposals beside `trialId` that have a candidate and no outcome yet, by their numbers. */
export function findOpenProposals(db: Tx, { researchId, trialId }: { researchId: string; trialId: string }) {
  const { n, hypothesis, edits } = trials;
  return db
    .select({ n, hypothesis, edits })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, researchId),
        ne(trials.id, trialId),
        isNull(trials.status),
        inArray(trials.kind, [...PROPOSAL_KINDS]),
        isNotNull(trials.candidateId),
      ),
    )
    .orderBy(asc(n));
}
