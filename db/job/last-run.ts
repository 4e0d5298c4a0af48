import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** The last run of a server, where it had one. */
export interface LastRun {
  placement: number;
  /** Runs since the last good one, with this one; 0 where it was good. */
  failed: number;
  /** Seconds since it ended, by the database's clock; null where nobody saw that. */
  secondsAgo: number | null;
  host: string;
  /** What its supervisor wrote last; null where it left nothing. */
  end: unknown;
}

/** A run is good where it lived for at least that long after it was ready. */
export async function findLastRun(
  db: Tx,
  { jobId, goodSeconds }: { jobId: string; goodSeconds: number },
): Promise<LastRun | undefined> {
  const rows = await db.execute<LastRun & Record<string, unknown>>(sql`
    with good as (
      select max(placement) as placement from runs where trial_id = ${jobId}
        and coalesce(ended_at, now()) - ready_at >= make_interval(secs => ${goodSeconds}::float8))
    select placement, host, "end", extract(epoch from now() - ended_at)::float8 as "secondsAgo",
      (select count(*)::int from runs since, good
        where since.trial_id = ${jobId} and since.placement > coalesce(good.placement, -1)) as failed
    from runs where trial_id = ${jobId} order by placement desc limit 1`);
  return rows.rows[0];
}
