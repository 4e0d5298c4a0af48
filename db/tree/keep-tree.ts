import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { taskHashOf, versionsWithMetricOf } from '../trial/comparable.ts';

/** A candidate of a research. */
export interface NodeKey {
  researchId: string;
  candidateId: string;
}

/** Statement that counts visits of a node and of all nodes above it. */
const addVisits = ({ researchId, candidateId, count }: NodeKey & { count: SQL | number }): SQL => sql`
  with recursive path (id) as (
    select ${candidateId}::text
    union all
    select parent_id from path join nodes on research_id = ${researchId} and candidate_id = path.id
    where parent_id is not null)
  update nodes set visits = visits + ${count} from path where research_id = ${researchId} and candidate_id = path.id`;

/** Condition: a trial is under the metric of its research's task. */
const hasMetric = (researchId: string): SQL => sql`trials.task_hash in ${versionsWithMetricOf(taskHashOf(researchId))}`;

/** Search trials from a candidate, under the metric of the research's task. */
const begunFrom = ({ researchId, candidateId }: NodeKey): SQL => sql`
  trials where research_id = ${researchId} and parent_id = ${candidateId} and kind = 'search'
    and ${hasMetric(researchId)}`;

/** 1 if a trial is under the metric of its research's task, else 0. */
const ownVisit = ({ researchId, trialId }: { researchId: string; trialId: string }): SQL => sql`(
  select count(*)::int from trials where id = ${trialId} and ${hasMetric(researchId)})`;

/** Counts the choice of a trial's parent. The trial's row has its parent already. */
export async function visitNode(db: Tx, key: NodeKey & { trialId: string }): Promise<void> {
  await db.execute(addVisits({ ...key, count: ownVisit(key) }));
  await countInFlight(db, key);
}

/** Takes back the count of a trial that starts from another node now. */
export async function leaveNode(db: Tx, key: NodeKey & { trialId: string }): Promise<void> {
  await db.execute(addVisits({ ...key, count: sql`-${ownVisit(key)}` }));
  await countInFlight(db, key);
}

/** Counts the search trials from a node that have no outcome. */
export async function countInFlight(db: Tx, key: NodeKey): Promise<void> {
  await db.execute(sql`
    update nodes set in_flight = (select count(*)::int from ${begunFrom(key)} and status is null)
    where research_id = ${key.researchId} and candidate_id = ${key.candidateId}`);
}

/** Value of a node; undefined if the candidate is none. */
export async function findNode(
  db: Tx,
  { researchId, candidateId }: NodeKey,
): Promise<{ value: number | null; runs: number } | undefined> {
  const { rows } = await db.execute<{ value: number | null; runs: number }>(sql`
    select value, runs from nodes where research_id = ${researchId} and candidate_id = ${candidateId}`);
  return rows[0];
}

/**
 * Adds a node without a value below `parentId`, or below the original if that is no node. Trials may have begun from
 * the candidate before it became a node: its visits count these. Returns the parent's niche.
 */
export async function insertNode(
  db: Tx,
  { parentId, original, seq, ...key }: NodeKey & { parentId: string | null; original: string; seq: number },
): Promise<string | null> {
  const { researchId, candidateId } = key;
  const { rows } = await db.execute<{ parentId: string; parentNiche: string | null; visits: number }>(sql`
    insert into nodes (research_id, candidate_id, seq, parent_id, depth, visits, in_flight)
    select ${researchId}, ${candidateId}, ${seq}::int, candidate_id, depth + 1,
      (select count(*)::int from ${begunFrom(key)}), (select count(*)::int from ${begunFrom(key)} and status is null)
    from nodes where research_id = ${researchId} and candidate_id in (${parentId}::text, ${original})
    order by candidate_id = ${parentId}::text desc nulls last limit 1
    returning parent_id as "parentId", visits, (select niche from nodes parent
      where parent.research_id = ${researchId} and parent.candidate_id = nodes.parent_id) as "parentNiche"`);
  const [node] = rows;
  if (node && node.visits > 0)
    await db.execute(addVisits({ researchId, candidateId: node.parentId, count: node.visits }));
  return node?.parentNiche ?? null;
}

/** Changes the value of a node, and the best of all nodes above it, as far up as it changes. */
export async function moveNode(
  db: Tx,
  { researchId, candidateId, value, runs }: NodeKey & { value: number; runs: number },
): Promise<void> {
  await db.execute(sql`
    update nodes set value = ${value}::float8, runs = ${runs}::int, best = greatest(${value}::float8, below)
    where research_id = ${researchId} and candidate_id = ${candidateId}`);
  const above = (child: SQL, from: SQL): SQL => sql`
    select parent.candidate_id, parent.parent_id, inner_best.below, greatest(parent.value, inner_best.below),
      parent.best
    from ${from} join nodes parent on parent.research_id = ${researchId} and parent.candidate_id = ${child}.parent_id
    cross join lateral (select greatest(${child}.best, (
      select other.best from nodes other
      where other.research_id = ${researchId} and other.parent_id = parent.candidate_id and other.best is not null
        and other.candidate_id <> ${child}.candidate_id
      order by other.best desc nulls last limit 1)) as below) inner_best`;
  await db.execute(sql`
    with recursive climb (candidate_id, parent_id, below, best, was) as (
      ${above(sql`child`, sql`nodes child`)}
      where child.research_id = ${researchId} and child.candidate_id = ${candidateId}
      union all
      ${above(sql`climb`, sql`climb`)} where climb.best is distinct from climb.was)
    update nodes set below = climb.below, best = climb.best from climb
    where nodes.research_id = ${researchId} and nodes.candidate_id = climb.candidate_id
      and (nodes.below, nodes.best) is distinct from (climb.below, climb.best)`);
}
