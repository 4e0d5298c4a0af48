import { sql, type SQL } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { inSearch } from './in-search.ts';

/** Hashes of the task versions with the metric of a given one, whatever its bounds. */
export const versionsWithMetricOf = (taskHash: SQL | string): SQL => sql`(
  select hash from task_versions where metric_key = (select metric_key from task_versions where hash = ${taskHash}))`;

/** Hash of the task version that a research uses now. */
export const taskHashOf = (researchId: string): SQL => sql`(select task_hash from researches where id = ${researchId})`;

const bound = (taskHash: SQL | string, name: 'min' | 'max'): SQL => sql`(
  select (task #>> array['metric', ${name}::text])::float8 from task_versions where hash = ${taskHash})`;

/** Condition: a value lies within the bounds of the metric of a task version. False for NaN and for no value. */
export const isWithinBounds = (value: SQL, taskHash: SQL | string): SQL => sql`coalesce(
  ${value} between coalesce(${bound(taskHash, 'min')}, '-Infinity') and coalesce(${bound(taskHash, 'max')}, 'Infinity'),
  false)`;

/** Condition: the score of a row of `trials` can be compared with scores under a task version. */
export const isComparable = (taskHash: SQL | string, alias: SQL = sql`trials`): SQL =>
  sql`(${alias}.task_hash in ${versionsWithMetricOf(taskHash)} and ${isWithinBounds(sql`${alias}.value`, taskHash)})`;

/**
 * A run of each candidate of a research whose value lies outside the bounds of a task version, under the same metric;
 * the first such run, in the order of the numbers.
 */
export async function findOutsideBounds(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<{ candidateId: string; n: number; value: number }[]> {
  const { rows } = await db.execute<{ candidateId: string; n: number; value: number }>(sql`
    select * from (
      select distinct on (candidate_id) candidate_id as "candidateId", n, value from trials
      where research_id = ${researchId} and status = 'completed' and candidate_id is not null
        and ${inSearch(sql`kind`)} and task_hash in ${versionsWithMetricOf(taskHash)}
        and not ${isWithinBounds(sql`value`, taskHash)}
      order by candidate_id, n) outside
    order by n`);
  return rows;
}
