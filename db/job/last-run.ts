import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** The last run of a server, where it had one. */
export interface LastRun {
  placement: number;
  /** Runs since one was ready, with this one, that were not; 0 where it was. */
  unready: number;
  /** Seconds since it ended, by the database's clock; null where nobody saw that. */
  secondsAgo: number | null;
  host: string;
  /** What its supervisor wrote last; null where it left nothing. */
  end: unknown;
}

export async function findLastRun(db: Tx, jobId: string): Promise<LastRun | undefined> {
  const rows = await db.execute<LastRun & Record<string, unknown>>(sql`
    select placement, host, "end", extract(epoch from now() - ended_at)::float8 as "secondsAgo",
      placement - coalesce((select max(placement) from runs
        where trial_id = ${jobId} and ready_at is not null), -1) as unready
    from runs where trial_id = ${jobId} order by placement desc limit 1`);
  return rows.rows[0];
}
