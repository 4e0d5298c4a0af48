import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import { PREFLIGHT_FAILURES } from '../../../domain/trial.ts';
import { candidates } from '../../schema.ts';
import type { Trial } from '../proposal.ts';
import { inSearch } from '../in-search.ts';

/** Labels of texts that were rejected before a run, as a list of SQL. */
const REJECTED = sql.join(
  PREFLIGHT_FAILURES.map((label) => sql`${label}`),
  sql`, `,
);

/** Latest trials of a research whose candidates may lack their sameness. */
const LATEST = 200;

/**
 * The candidate that stands for all candidates of one program in a research: the one with this id if a trial has it,
 * else that of the trial with the lowest number. A candidate whose text was rejected before its run stands for no
 * other: a correction of its comments runs. Undefined if no trial has one.
 */
export async function findSameCandidate(
  db: Tx,
  { researchId, candidateId, sameness }: { researchId: string; candidateId: string; sameness: string },
): Promise<{ id: string; n: number } | undefined> {
  const { rows } = await db.execute<{ id: string; n: number }>(sql`
    select candidate_id as id, n from trials
    where research_id = ${researchId} and ${inSearch(sql`kind`)} and (candidate_id = ${candidateId} or (
      candidate_id in (select id from candidates where sameness = ${sameness})
      and coalesce(status, 'running') <> 'cached' and coalesce(failure, '') not in (${REJECTED})))
    order by candidate_id = ${candidateId} desc, n limit 1`);
  return rows[0];
}

/**
 * Candidates without a sameness: the original of a research, and those of its latest trials. Others have theirs, unless
 * the research began with another rule.
 */
export async function findWithoutSameness(
  db: Tx,
  { researchId, immutableHash }: { researchId: string; immutableHash: string },
): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from candidates
    where sameness is null and immutable_hash = ${immutableHash} and id in (
      select baseline_candidate from researches where id = ${researchId}
      union select candidate_id from (
        select candidate_id from trials where research_id = ${researchId} and candidate_id is not null
        order by n desc limit ${LATEST}) latest)
    order by id`);
  return rows.map(({ id }) => id);
}

/** Stores the sameness of a candidate; the first one stays. */
export async function saveSameness(db: Tx, { id, sameness }: { id: string; sameness: string }): Promise<void> {
  await db
    .update(candidates)
    .set({ sameness })
    .where(and(eq(candidates.id, id), isNull(candidates.sameness)));
}

/**
 * Candidates of the latest trials of a research that ran an edit of the same parent as this trial, or are about to,
 * the newest first.
 */
export async function findSiblings(db: Tx, { trial, most }: { trial: Trial; most: number }): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select candidate_id as id from trials
    where research_id = ${trial.researchId} and parent_id = ${trial.parentId} and candidate_id is not null
      and id <> ${trial.id} and ${inSearch(sql`kind`)} and coalesce(status, 'running') not in ('lost', 'cached')
    group by candidate_id order by max(n) desc limit ${most}`);
  return rows.map(({ id }) => id);
}
