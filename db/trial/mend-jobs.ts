import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/**
 * Gives each trial the job that it lacks, and ends the jobs of trials that have their outcome: a worker of 0.1, which knows
 * of no jobs, may have gone on after the migration that made them. Changes nothing where nothing is amiss.
 */
export async function mendJobs(db: Tx): Promise<void> {
  await db.execute(sql`
    insert into jobs (id, kind, research_id, task_hash, pool, priority, spec, opened_at, ended_at)
    select id, 'trial', research_id, task_hash, pool, case kind when 'injected' then 1 else 3 end,
      '{"shape": "to-an-end"}', created_at, case when status is not null then coalesce(ended_at, created_at) end
    from trials where not exists (select 1 from jobs where jobs.id = trials.id)
    on conflict (id) do nothing`);
  await db.execute(sql`
    update jobs set ended_at = coalesce(trials.ended_at, now()) from trials
    where trials.id = jobs.id and jobs.ended_at is null and trials.status is not null`);
}
