import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A run of a job, as whoever waits for the job hears of it. */
export interface RunOfJob {
  placement: number;
  host: string;
  /** When it said that it serves; null of a command, or before that. */
  readyAt: string | null;
  /** Another one has begun, or, of a server, it has ended, and the job goes on. */
  isOver: boolean;
  /** What its supervisor wrote last; null where it left nothing, or runs. */
  end: unknown;
}

/** Runs of a job from a placement on, in order; without one, the last. */
export async function readRuns(db: Tx, { jobId, from }: { jobId: string; from: number | null }): Promise<RunOfJob[]> {
  const rows = await db.execute<RunOfJob & Record<string, unknown>>(sql`
    with last as (select max(placement) as placement from runs where trial_id = ${jobId})
    select runs.placement, host, to_json(ready_at) as "readyAt", "end",
      runs.placement < last.placement
        or (jobs.kind = 'server' and jobs.ended_at is null and runs.ended_at is not null) as "isOver"
    from last, runs join jobs on jobs.id = runs.trial_id
    where trial_id = ${jobId} and runs.placement >= coalesce(${from}::int, last.placement) order by runs.placement`);
  return rows.rows;
}
