import { sql } from 'drizzle-orm';
import type { Task } from '../../domain/task/task.ts';
import type { Tx } from '../connect.ts';
import { carriedCurves } from '../schema.ts';
import type { EndedCurve } from './abort.ts';

export type CarriedCurves = typeof carriedCurves.$inferSelect;

/** A finished run of another research: the keys of its curve, and its result. */
export interface FinishedRun extends Pick<EndedCurve, 'jobId' | 'placement'> {
  researchId: string;
  value: number;
  auditProbability: number | null;
}

/**
 * Finished proposals of any research: completed, audited ones included, never stopped. Their tasks have the same
 * metric, evaluator, budget, progress rule and resources, and their machines had no GPU that the pool lacks now. The
 * newest `most`, oldest first.
 */
export async function findComparableRuns(
  db: Tx,
  { metricKey, task, most }: { metricKey: string; task: Task; most: number },
): Promise<FinishedRun[]> {
  const { run, progress } = task;
  const json = (value: unknown) => sql`${JSON.stringify(value ?? null)}::jsonb`;
  const rows = await db.execute<FinishedRun & Record<string, unknown>>(sql`
    with own as (
      select gpu->>'name' as name from hosts, jsonb_array_elements(facts->'gpus') gpu
      where pool = ${run.resources.pool} and state = 'serving'),
    newest as (
      select trials.id as "jobId", runs.placement, trials.research_id as "researchId",
        trials.value, trials.ended_at, trials.n,
        (runs.abort->>'auditProbability')::float8 as "auditProbability"
      from trials
      join task_versions on task_versions.hash = trials.task_hash
      join runs on runs.trial_id = trials.id and runs.placement = trials.placement
      where task_versions.metric_key = ${metricKey}
        and task_versions.task->'run'->'budget' = ${json(run.budget)}
        and task_versions.task->'run'->'resources' = ${json(run.resources)}
        and coalesce(task_versions.task->'progress', 'null') = ${json(progress)}
        and trials.kind in ('search', 'injected') and trials.status = 'completed' and trials.value is not null
        and not exists (
          select 1 from jsonb_array_elements(coalesce(runs.machine->'gpus', '[]')) gpu
          where gpu->>'name' not in (select name from own))
      order by trials.ended_at desc, trials.n desc limit ${most}::int)
    select "jobId", placement, "researchId", value, "auditProbability" from newest order by ended_at, n`);
  return rows.rows;
}

/** Stores the curves that a new research begins with, in the transaction that creates it. */
export async function insertCarried(
  tx: Tx,
  input: Pick<CarriedCurves, 'researchId' | 'taskHash' | 'curves' | 'researches'>,
): Promise<void> {
  await tx.insert(carriedCurves).values(input).onConflictDoNothing();
}

/**
 * Curves that a research began with, for runs of one of its task versions. Undefined if there are none, or if they were
 * chosen for a version with another metric, budget, progress rule or resources.
 */
export async function findCarried(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<CarriedCurves | undefined> {
  const rows = await db
    .select()
    .from(carriedCurves)
    .where(
      sql`${carriedCurves.researchId} = ${researchId} and exists (
        select 1 from task_versions chosen, task_versions own
        where chosen.hash = ${carriedCurves.taskHash} and own.hash = ${taskHash} and own.metric_key = chosen.metric_key
          and own.task->'run'->'budget' = chosen.task->'run'->'budget'
          and own.task->'run'->'resources' = chosen.task->'run'->'resources'
          and coalesce(own.task->'progress', 'null') = coalesce(chosen.task->'progress', 'null'))`,
    );
  return rows[0];
}

/** Stores the result of the test by the baseline runs. The first result stays, and is returned. */
export async function recordCarriedTest(
  db: Tx,
  { researchId, dropped }: { researchId: string; dropped: string | null },
): Promise<string | null> {
  const rows = await db.execute<{ dropped: string | null }>(sql`
    update carried_curves set dropped = case when tested_at is null then ${dropped}::text else dropped end,
      tested_at = coalesce(tested_at, now())
    where research_id = ${researchId} returning dropped`);
  return rows.rows[0]?.dropped ?? null;
}

/** Completed runs of the unmodified candidate in a research, under a task version. */
export async function findBaselineRuns(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<(Pick<EndedCurve, 'jobId' | 'placement'> & { value: number })[]> {
  const rows = await db.execute<{ jobId: string; placement: number; value: number }>(sql`
    select trials.id as "jobId", runs.placement, trials.value
    from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    where trials.research_id = ${researchId} and trials.task_hash = ${taskHash} and trials.kind = 'baseline'
      and trials.status = 'completed' and trials.value is not null
    order by trials.n`);
  return rows.rows;
}
