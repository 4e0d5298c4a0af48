import { sql } from 'drizzle-orm';
import { FIXABLE, FIXES } from '../../../domain/search/operator/fixable.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { inSearch } from '../in-search.ts';

/** A trial that crashed by the fault of its candidate. */
export interface CrashedTrial {
  n: number;
  candidateId: string;
  failure: FailureLabel;
  failureMessage: string | null;
}

/**
 * The latest trial under a task version that crashed by the fault of its candidate, if no trial began to fix the
 * candidate and no run of it has a score.
 */
export async function findUnfixedCrash(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<CrashedTrial | undefined> {
  const { rows } = await db.execute<CrashedTrial & Record<string, unknown>>(sql`
    select n, candidate_id as "candidateId", failure, failure_message as "failureMessage" from trials crashed
    where research_id = ${researchId} and task_hash = ${taskHash} and status = 'crashed'
      and failure = any(${sql.param([...FIXABLE])}::text[]) and candidate_id is not null and ${inSearch(sql`kind`)}
      and not exists (
        select from trials other where other.research_id = ${researchId}
          and ((other.parent_id = crashed.candidate_id and other.operator = ${FIXES})
            or (other.candidate_id = crashed.candidate_id and other.status = 'completed')))
    order by n desc limit 1`);
  return rows[0];
}

/** The latest crash of a candidate by its own fault. */
export async function findCrashOf(
  db: Tx,
  { researchId, candidateId }: { researchId: string; candidateId: string },
): Promise<CrashedTrial | undefined> {
  const { rows } = await db.execute<CrashedTrial & Record<string, unknown>>(sql`
    select n, candidate_id as "candidateId", failure, failure_message as "failureMessage" from trials
    where research_id = ${researchId} and candidate_id = ${candidateId} and status = 'crashed'
      and failure = any(${sql.param([...FIXABLE])}::text[]) and ${inSearch(sql`kind`)}
    order by n desc limit 1`);
  return rows[0];
}

/** A candidate with a mean of its scored runs. */
export interface ScoredCandidate {
  candidateId: string;
  value: number;
}

/**
 * The best scored candidate under a task version that is neither a candidate nor one of its ancestors. Candidates of
 * another niche come first, if the parent was chosen for a niche.
 */
export async function findSecondParent(
  db: Tx,
  input: {
    researchId: string;
    taskHash: string;
    parentId: string;
    niche: string | null;
    direction: 'minimize' | 'maximize';
  },
): Promise<ScoredCandidate | undefined> {
  const { researchId, taskHash, parentId, niche, direction } = input;
  const order = direction === 'minimize' ? sql`asc` : sql`desc`;
  const { rows } = await db.execute<ScoredCandidate & Record<string, unknown>>(sql`
    with recursive line (id) as (
      select ${parentId}::text
      union
      select made.parent_id from line join trials made on made.candidate_id = line.id
      where made.research_id = ${researchId} and made.parent_id is not null)
    select seen.candidate_id as "candidateId", seen.value from observations seen
    left join nodes on nodes.research_id = seen.research_id and nodes.candidate_id = seen.candidate_id
    where seen.research_id = ${researchId} and seen.task_hash = ${taskHash} and seen.value is not null
      and seen.candidate_id not in (select id from line)
      and seen.candidate_id <> (select baseline_candidate from researches where id = ${researchId})
    order by coalesce(nodes.niche <> ${niche}::text, false) desc, seen.value ${order}, seen.seq limit 1`);
  return rows[0];
}
