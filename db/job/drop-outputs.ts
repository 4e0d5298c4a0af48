import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

const oldJobs = (olderThanSeconds: number) => sql`
  select id from jobs where ended_at < now() - make_interval(secs => ${olderThanSeconds}::float8)`;

/** Number of ended commands whose output {@link dropOutputs} would remove. */
export async function countOutputs(db: Tx, { olderThanSeconds }: { olderThanSeconds: number }): Promise<number> {
  const found = await db.execute<{ count: number }>(
    sql`select count(distinct job_id)::int as count from outputs where job_id in (${oldJobs(olderThanSeconds)})`,
  );
  return found.rows[0]?.count ?? 0;
}

/** Removes output of commands that ended more than `olderThanSeconds` ago; returns how many of them had output. */
export async function dropOutputs(db: Tx, { olderThanSeconds }: { olderThanSeconds: number }): Promise<number> {
  const removed = await db.execute<{ count: number }>(sql`
    with gone as (delete from outputs where job_id in (${oldJobs(olderThanSeconds)}) returning job_id)
    select count(distinct job_id)::int as count from gone`);
  return removed.rows[0]?.count ?? 0;
}
