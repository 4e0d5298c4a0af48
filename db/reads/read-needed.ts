import { sql } from 'drizzle-orm';
import type { Environment } from '../../domain/schema/environment.ts';
import type { Tx } from '../connect.ts';

export interface Needed {
  /** Placements whose run directory must stay: of jobs under way, of kept trials, and of the newest trials. */
  runs: { jobId: string; placement: number }[];
  /** Stage hashes of tasks that a research runs or may run again. */
  stages: string[];
  /** Sources of those tasks' environments: paths and SHA-256 of files. */
  environments: { environment: Environment; files: { path: string; hash: string }[] }[];
}

/** Everything that `perpetua clean` must keep, the `last` newest trials of each research included. */
export async function readNeeded(db: Tx, input: { last: number }): Promise<Needed> {
  // A job under way may be placed at any moment: its next placement is needed before it has a row.
  const runs = await db.execute<{ jobId: string; placement: number }>(sql`
    with needed as (
      select jobs.id, jobs.ended_at,
        coalesce((select max(placement) from runs where runs.trial_id = jobs.id), 0) as placement
      from jobs left join trials on trials.id = jobs.id left join researches on researches.id = trials.research_id
      where jobs.ended_at is null or trials.verdict = 'keep' or trials.n > researches.last_n - ${input.last}
        or exists (select 1 from claims where claims.research_id = trials.research_id and claims.of_trial = trials.n))
    select runs.trial_id as "jobId", runs.placement from runs join needed on needed.id = runs.trial_id
    where runs.removed_at is null
    union select id, placement from needed
    union select id, placement + 1 from needed where ended_at is null`);
  const inUse = sql`(select task_hash from researches union select task_hash from jobs where ended_at is null)`;
  const stages = await db.execute<{ hash: string }>(sql`
    select distinct stage_hash as hash from task_versions where hash in ${inUse}`);
  const environments = await db.execute<Needed['environments'][number] & Record<string, unknown>>(sql`
    select distinct task->'environment' as environment, (
      select jsonb_agg(jsonb_build_object('path', path, 'hash', blob_hash) order by path) from task_files
      where task_files.task_hash = task_versions.hash and role = 'environment') as files
    from task_versions where hash in ${inUse} and task->'environment' is not null`);
  return { runs: runs.rows, stages: stages.rows.map((row) => row.hash), environments: environments.rows };
}
