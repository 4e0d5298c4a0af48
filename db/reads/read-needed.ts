import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

export interface Needed {
  /** Placements of trials whose run directory must stay: under way, kept, or among the last ones. */
  runs: { trialId: string; placement: number }[];
  /** Content hashes of workspaces that some research runs or may run again. */
  stages: string[];
}

/** What `perpetua clean` must leave alone; `last` trials of each research stay, too. */
export async function readNeeded(db: Tx, input: { last: number }): Promise<Needed> {
  // A trial under way may be placed at any moment: its next placement is needed before there is a row for it.
  const runs = await db.execute<{ trialId: string; placement: number }>(sql`
    with needed as (
      select trials.id, trials.placement, trials.status from trials join researches on researches.id = trials.research_id
      where trials.status is null or trials.verdict = 'keep' or trials.n > researches.last_n - ${input.last}
        or exists (select 1 from claims where claims.research_id = trials.research_id and claims.of_trial = trials.n))
    select runs.trial_id as "trialId", runs.placement from runs join needed on needed.id = runs.trial_id
    union select id, placement from needed
    union select id, placement + 1 from needed where status is null`);
  const stages = await db.execute<{ hash: string }>(sql`
    select distinct stage_hash as hash from task_versions where hash in (
      select task_hash from researches union select task_hash from trials where status is null)`);
  return { runs: runs.rows, stages: stages.rows.map((row) => row.hash) };
}
