import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

const old = (olderThanSeconds: number) => sql`
  select id from jobs where ended_at < now() - make_interval(secs => ${olderThanSeconds}::float8)`;

/** How many ended commands have output that {@link dropOutputs} would remove. */
export async function countOutputs(db: Tx, { olderThanSeconds }: { olderThanSeconds: number }): Promise<number> {
  const found = await db.execute<{ count: number }>(
    sql`select count(distinct job_id)::int as count from outputs where job_id in (${old(olderThanSeconds)})`,
  );
  return found.rows[0]?.count ?? 0;
}

/** Removes what commands printed that ended so long ago; returns how many had said something. */
export async function dropOutputs(db: Tx, { olderThanSeconds }: { olderThanSeconds: number }): Promise<number> {
  const gone = await db.execute<{ count: number }>(sql`
    with gone as (delete from outputs where job_id in (${old(olderThanSeconds)}) returning job_id)
    select count(distinct job_id)::int as count from gone`);
  return gone.rows[0]?.count ?? 0;
}
