import { sql } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';

interface Scored {
  researchId: string;
  taskHash: string;
  direction: 'minimize' | 'maximize';
}

/**
 * The id of the trial with the best score of a single run, of any kind and verdict, among those that were scored as `taskHash`
 * scores, and could not have written their scores themselves; null where there is none.
 */
export async function readSingleBest(db: Tx, { researchId, taskHash, direction }: Scored): Promise<string | null> {
  const order = direction === 'minimize' ? sql`value` : sql`value desc`;
  const { rows } = await db.execute<{ id: string }>(sql`
    select trials.id from trials join task_versions on task_versions.hash = trials.task_hash
    where research_id = ${researchId} and status = 'completed' and trusted
      and value not in ('NaN', 'Infinity', '-Infinity')
      and metric_key = (select metric_key from task_versions mine where mine.hash = ${taskHash})
    order by ${order}, n limit 1`);
  return rows[0]?.id ?? null;
}
