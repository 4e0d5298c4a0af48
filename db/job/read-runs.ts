import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A run of a job, for a client that waits for the job. */
export interface RunOfJob {
  placement: number;
  host: string;
  /** Time when a server reported that it serves; null before that, and for a command. */
  readyAt: string | null;
  /** True if a later run began, or if a server's run ended and its job continues. */
  isOver: boolean;
  /** Last record of its supervisor; null if there is none. */
  end: unknown;
}

/** Runs of a job from a placement on, in order; only the last run if `from` is null. */
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
