import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** A job that holds a slot of the same machine. */
export interface OtherJob extends Record<string, unknown> {
  jobId: string;
  placement: number;
  taskHash: string;
  /** Disk limit of an agent, which is not the task's; null for any other job. */
  agentDiskMb: number | null;
}

/**
 * Other jobs whose runs write on a machine, or are about to. A job that has not begun counts only if its lease is older
 * (a lower fence is an older lease), so that no two jobs wait for each other. A job that is itself waiting uses no
 * space, and does not count.
 */
export async function findOtherJobsOnHost(
  db: Tx,
  { jobId, host, fence }: { jobId: string; host: string; fence: number },
): Promise<OtherJob[]> {
  const rows = await db.execute<OtherJob>(sql`
    select jobs.id as "jobId", coalesce(runs.placement, trials.placement, 0) as placement,
      jobs.task_hash as "taskHash", (jobs.spec->'agent'->'limits'->>'diskMb')::int as "agentDiskMb"
    from slots join jobs on jobs.id = slots.trial_id left join trials on trials.id = jobs.id
      left join runs on runs.trial_id = slots.trial_id and runs.fence = slots.fence
    where slots.host = ${host} and slots.state = 'leased'
      and slots.trial_id <> ${jobId} and jobs.task_hash is not null
      and (runs.trial_id is not null or (slots.fence < ${fence} and coalesce(trials.waits_for, jobs.waits_for) is null))
    order by slots.fence`);
  return rows.rows;
}
