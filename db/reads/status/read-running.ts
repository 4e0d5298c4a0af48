import { sql } from 'drizzle-orm';
import type { TrialKind } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { IS_PREPARING, IS_LOST } from './read-queue.ts';

/**
 * A trial under way: `proposing`, `queued` for a slot, `preparing` (its machine is prepared, or its launch is under
 * way), `running` on a slot, or `scoring` after its run ended.
 */
export interface OpenTrial {
  n: number;
  kind: TrialKind;
  /** Number of the search trial that it confirms. */
  ofTrial: number | null;
  hypothesis: string | null;
  slot: string | null;
  stage: 'proposing' | 'queued' | 'preparing' | 'running' | 'scoring';
  /** Seconds since its run was launched; before that, since the trial was admitted. */
  seconds: number;
  /** Last point of its curve. */
  step: number | null;
  value: number | null;
}

/** Trials of a research without an outcome, oldest first. */
export async function readRunning(db: Tx, input: { researchId: string }): Promise<OpenTrial[]> {
  const found = await db.execute<OpenTrial & Record<string, unknown>>(sql`
    select trials.n, trials.kind, trials.of_trial as "ofTrial", trials.hypothesis,
      case when run.ended_at is null and not ${IS_LOST} then run.slot_id end as slot,
      case
        when run.trial_id is not null and not ${IS_LOST}
          then case when run.ended_at is null then 'running' else 'scoring' end
        when ${IS_PREPARING} or exists (select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased')
          then 'preparing'
        when run.trial_id is not null or trials.ready_at is not null or trials.candidate_id is not null then 'queued'
        else 'proposing' end as stage,
      extract(epoch from now() - coalesce(run.launched_at, trials.created_at))::float8 as seconds,
      point.step, point.value
    from trials
    left join lateral (
      select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
    left join lateral (
      select step, value from points
      where points.trial_id = run.trial_id and points.placement = run.placement order by seq desc limit 1) point on true
    where trials.research_id = ${input.researchId} and trials.status is null
    order by trials.n`);
  return found.rows;
}
