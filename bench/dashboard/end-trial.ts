import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/connect.ts';
import { insertEvents } from '../../db/event/insert-events.ts';

/** Ends the first running trial of a research and returns its number. Throws if none is running. */
export async function endTrial(db: Db, researchId: string): Promise<number> {
  return db.transaction((tx) => endIn(tx, researchId));
}

/** {@link endTrial} in the transaction of the caller. Skips a trial that another transaction is ending. */
export async function endIn(tx: Tx, researchId: string): Promise<number> {
  const { rows } = await tx.execute<{ id: string; n: number; kind: string }>(sql`
    update trials set status = 'completed', value = 2.95, metrics = '{}', verdict = 'discard', reason = 'no better',
      seconds = 90, ended_at = clock_timestamp(), ruled_at = clock_timestamp()
    where id = (select id from trials where research_id = ${researchId} and status is null and started_at is not null
      order by n limit 1 for update skip locked)
    returning id, n, kind`);
  const [trial] = rows;
  if (!trial) throw new Error(`expected a trial of ${researchId} under way`);
  await tx.execute(sql`update jobs set ended_at = clock_timestamp() where id = ${trial.id}`);
  await tx.execute(sql`update runs set ended_at = clock_timestamp() where trial_id = ${trial.id}`);
  await tx.execute(sql`
    update slots set state = 'free', trial_id = null, free_since = clock_timestamp() where trial_id = ${trial.id}`);
  const data = { kind: trial.kind, status: 'completed', failure: null, value: 2.95, seconds: 90 };
  await insertEvents(tx, [{ researchId, kind: 'trial-ended', n: trial.n, data }]);
  return trial.n;
}

/** Number of ended trials of a research. */
export async function countEnded(db: Tx, researchId: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from trials where research_id = ${researchId} and status is not null`,
  );
  return rows[0]?.count ?? 0;
}
