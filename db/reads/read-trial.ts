import { asc, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { Task } from '../../domain/task/task.ts';
import type { ShownVerdict } from '../../domain/trial.ts';
import { calls, points, runs, taskVersions, trials } from '../schema.ts';
import { toStoredTask } from '../task/task-version.ts';
import { shownColumns, type ShownTrial } from '../trial/shown-columns.ts';
import { shownVerdict } from '../trial/shown-verdict.ts';

export type TrialRow = Omit<ShownTrial, 'verdict'> & { verdict: ShownVerdict | null };
export type RunRow = typeof runs.$inferSelect;
export type CallRow = typeof calls.$inferSelect;

export interface TrialView {
  trial: TrialRow;
  /** Placements, last one first. */
  runs: RunRow[];
}

/** A trial and its placements; undefined for an unknown id. */
export async function readTrial(db: Tx, input: { trialId: string }): Promise<TrialView | undefined> {
  const columns = { ...shownColumns, verdict: shownVerdict(sql`trials.research_id`) };
  const found = await db.select(columns).from(trials).where(eq(trials.id, input.trialId));
  const trial = found[0];
  if (!trial) return undefined;
  const placements = await db.select().from(runs).where(eq(runs.jobId, trial.id)).orderBy(desc(runs.placement));
  return { trial, runs: placements };
}

/** Task version of a trial; its research may have another one by now. */
export async function readTaskOf(db: Tx, { taskHash }: Pick<TrialRow, 'taskHash'>): Promise<Task> {
  const [row] = await db.select().from(taskVersions).where(eq(taskVersions.hash, taskHash));
  if (!row) throw new Error(`Expected task version ${taskHash} in the database, found none`);
  return toStoredTask(db, row);
}

/** Model calls of a trial, in order, with complete prompts and answers. */
export async function readCalls(db: Tx, input: { trialId: string }): Promise<CallRow[]> {
  return db.select().from(calls).where(eq(calls.trialId, input.trialId)).orderBy(asc(calls.turn));
}

/** Learning curve of a trial, over its placements in order. */
export async function readPoints(
  db: Tx,
  input: { trialId: string },
): Promise<{ placement: number; step: number; elapsed: number; value: number; share: number | null }[]> {
  return db
    .select({
      placement: points.placement,
      step: points.step,
      elapsed: points.elapsed,
      value: points.value,
      share: points.share,
    })
    .from(points)
    .where(eq(points.jobId, input.trialId))
    .orderBy(asc(points.placement), asc(points.seq));
}
