import { sql } from 'drizzle-orm';
import type { Child } from '../../../domain/search/context/lineage/find-stalls.ts';
import type { TriedIdea } from '../../../domain/search/context/lineage/group-ideas.ts';
import type { Tx } from '../../connect.ts';
import { isComparable, taskHashOf } from '../comparable.ts';

/** Characters of an idea that a prompt can show on one line. */
const IDEA_CHARACTERS = 400;

/** A candidate, and the first trial that proposed it. */
export interface ProposedCandidate {
  candidateId: string;
  /** Null for the original. */
  n: number | null;
  hypothesis: string;
}

/**
 * The ancestors of candidates, by candidate: itself first, the original last, at most `depth` of them. A candidate's
 * parent is that of the first trial that proposed it.
 */
export async function findAncestors(
  db: Tx,
  { researchId, candidateIds, depth }: { researchId: string; candidateIds: readonly string[]; depth: number },
): Promise<Map<string, ProposedCandidate[]>> {
  const { rows } = await db.execute<ProposedCandidate & { start: string } & Record<string, unknown>>(sql`
    with recursive origin as (select baseline_candidate as id from researches where id = ${researchId}),
    path (start, depth, id, n, hypothesis, parent_id) as (
      select start, 0, start, made.n, made.hypothesis, made.parent_id
      from unnest(${sql.param([...candidateIds])}::text[]) start left join lateral ${maker(researchId, sql`start`)}
      union all
      select path.start, path.depth + 1, path.parent_id, made.n, made.hypothesis, made.parent_id
      from path left join lateral ${maker(researchId, sql`path.parent_id`)}
      where path.parent_id is not null and path.depth + 1 < ${depth}::int)
    select start, id as "candidateId", n, coalesce(hypothesis, '') as hypothesis from path order by start, path.depth`);
  const paths = new Map<string, ProposedCandidate[]>();
  for (const { start, ...row } of rows) paths.set(start, [...(paths.get(start) ?? []), row]);
  return paths;
}

/** First trial that proposed a candidate; none for the original. */
const maker = (researchId: string, candidateId: ReturnType<typeof sql>) => sql`(
  select n, left(hypothesis, ${IDEA_CHARACTERS}::int) as hypothesis, parent_id from trials
  where research_id = ${researchId} and candidate_id = ${candidateId} and kind in ('search', 'injected')
    and parent_id <> candidate_id and candidate_id <> (select id from origin)
  order by n limit 1) made on true`;

/** Candidates and ideas of proposals, in the order of the numbers. */
export async function findProposals(
  db: Tx,
  { researchId, ns }: { researchId: string; ns: readonly number[] },
): Promise<(ProposedCandidate & { n: number })[]> {
  if (ns.length === 0) return [];
  const { rows } = await db.execute<ProposedCandidate & { n: number } & Record<string, unknown>>(sql`
    select n, candidate_id as "candidateId", left(coalesce(hypothesis, ''), ${IDEA_CHARACTERS}::int) as hypothesis
    from trials where research_id = ${researchId} and n = any(${sql.param([...ns])}::int[])`);
  return ns.flatMap((n) => rows.find((row) => row.n === n) ?? []);
}

/** Islands or cells of candidates; one without a niche is left out. */
export async function findNiches(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await db.execute<{ id: string; niche: string }>(sql`
    select candidate_id as id, niche from nodes where research_id = ${researchId} and niche is not null
      and candidate_id = any(${sql.param([...candidateIds])}::text[])`);
  return new Map(rows.map(({ id, niche }) => [id, niche]));
}

/** The last ended proposals from a candidate that ran, newest first. */
export async function findChildren(
  db: Tx,
  { researchId, parentId, limit }: { researchId: string; parentId: string; limit: number },
): Promise<Child[]> {
  if (limit === 0) return [];
  const { rows } = await db.execute<Child & Record<string, unknown>>(sql`
    select status, case when ${isComparable(taskHashOf(researchId))} then value end as value from trials
    where research_id = ${researchId} and parent_id = ${parentId} and kind in ('search', 'injected')
      and ${HAS_RUN} order by n desc limit ${limit}`);
  return rows;
}

/** Condition: a trial ran, and its end says something about its proposal. */
const HAS_RUN = sql`status in ('completed', 'crashed', 'timed_out', 'diverged', 'aborted')`;

/** Number of proposals that ran after a trial, at most `most`. */
export async function countSince(
  db: Tx,
  { researchId, n, most }: { researchId: string; n: number; most: number },
): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from trials where research_id = ${researchId} and n > ${n} and kind in ('search', 'injected')
        and ${HAS_RUN} order by n desc limit ${most}) later`);
  return rows[0]?.count ?? 0;
}

/** The last ended proposals, newest first. */
export async function findTriedIdeas(
  db: Tx,
  { researchId, limit }: { researchId: string; limit: number },
): Promise<(Omit<TriedIdea, 'parentValue'> & { parentId: string | null })[]> {
  const { rows } = await db.execute<Omit<TriedIdea, 'parentValue'> & { parentId: string | null }>(sql`
    select n, left(coalesce(hypothesis, ''), ${IDEA_CHARACTERS}::int) as hypothesis, status,
      coalesce(verdict, 'none') as verdict, parent_id as "parentId",
      case when ${isComparable(taskHashOf(researchId))} then value end as value
    from trials where research_id = ${researchId} and status is not null and kind in ('search', 'injected')
    order by n desc limit ${limit}`);
  return rows;
}
