import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Stores that a worker works, by the clock of Postgres, and removes rows of workers without a beat for a day. */
export async function recordBeat(
  db: Tx,
  { workerId, host, pid }: { workerId: string; host: string; pid: number },
): Promise<void> {
  await db.execute(sql`
    with gone as (delete from worker_beats where at < now() - interval '1 day' and worker_id <> ${workerId})
    insert into worker_beats (worker_id, host, pid, at) values (${workerId}, ${host}, ${pid}, now())
    on conflict (worker_id) do update set at = excluded.at`);
}

/** Seconds since the newest beat of any worker, by the clock of Postgres; null if there was none within a day. */
export async function readBeatAge(db: Tx): Promise<number | null> {
  const { rows } = await db.execute<{ seconds: number | null }>(sql`
    select extract(epoch from clock_timestamp() - max(at))::float8 as seconds from worker_beats
    where at > now() - interval '1 day'`);
  const seconds = rows[0]?.seconds ?? null;
  return seconds === null ? null : Math.max(0, seconds);
}
