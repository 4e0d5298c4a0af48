import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

interface Age {
  /** Days since the end of a trial, after which its requests and answers are old. */
  days: number;
}

/** Trials whose requests and answers are removed in one statement. */
const AT_ONCE = 200;

/** Rows with request and answer, of trials that ended long ago. All their calls are as old. */
const oldCalls = ({ days }: Age) => sql`
  calls join trials on trials.id = calls.trial_id
  where calls.removed_at is null and calls.sent_at < now() - make_interval(secs => ${days * 86_400}::float8)
    and trials.ended_at < now() - make_interval(secs => ${days * 86_400}::float8)`;

/** Number of calls whose request and answer {@link dropBodies} would remove. */
export async function countBodies(db: Tx, age: Age): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from ${oldCalls(age)}`);
  return rows[0]?.count ?? 0;
}

/**
 * Removes requests and answers of trials that ended more than `days` ago; returns the number of calls. Their rows stay,
 * with tokens, cost and errors.
 */
export async function dropBodies(db: Tx, age: Age): Promise<number> {
  let dropped = 0;
  for (;;) {
    const { rows } = await db.execute<{ count: number }>(sql`
      with old as (select distinct calls.trial_id from ${oldCalls(age)} limit ${AT_ONCE}),
      parts as (delete from call_parts using old where call_parts.trial_id = old.trial_id),
      gone as (
        update calls set removed_at = now(), request = null, answer = null from old
        where calls.trial_id = old.trial_id and calls.removed_at is null returning 1)
      select count(*)::int as count from gone`);
    const count = rows[0]?.count ?? 0;
    if (count === 0) return dropped;
    dropped += count;
  }
}
