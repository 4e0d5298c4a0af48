import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Task } from '../../domain/task/task.ts';
import type { TrialKind, TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { loadTaskVersion } from '../task/task-version.ts';
import { points, trials } from '../schema.ts';

/**
 * Kinds that a rule of early abort learns from: runs that the gate requested repeat candidates chosen for their
 * results.
 */
const KINDS: TrialKind[] = ['search', 'injected'];

/** An ended run that has a curve. */
export interface CurveRun {
  jobId: string;
  placement: number;
  researchId: string;
  candidateId: string | null;
  status: TrialStatus | null;
  value: number | null;
  task: Task;
}

/** Proposals, also injected ones, with a curve that completed or were stopped early, in the order of their ends. */
export async function readCurveRuns(db: Tx, { researchId }: { researchId: string }): Promise<CurveRun[]> {
  const rows = await db
    .select({
      jobId: trials.id,
      placement: sql<number>`coalesce(${trials.placement}, 0)`,
      researchId: trials.researchId,
      candidateId: trials.candidateId,
      status: trials.status,
      value: trials.value,
      taskHash: trials.taskHash,
    })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, researchId),
        inArray(trials.kind, KINDS),
        inArray(trials.status, ['completed', 'aborted']),
        sql`exists (
          select 1 from points p where p.trial_id = ${trials.id} and p.placement = coalesce(${trials.placement}, 0))`,
      ),
    )
    .orderBy(asc(trials.endedAt), asc(trials.n));
  const tasks = new Map<string, Task>();
  for (const { taskHash } of rows)
    if (!tasks.has(taskHash)) tasks.set(taskHash, (await loadTaskVersion(db, taskHash)).task);
  return rows.flatMap(({ taskHash, ...run }) => {
    const task = tasks.get(taskHash);
    return task ? { ...run, task } : [];
  });
}

/** All points of a run, in order. */
export async function readCurve(db: Tx, run: Pick<CurveRun, 'jobId' | 'placement'>) {
  return db
    .select({ step: points.step, elapsed: points.elapsed, value: points.value, share: points.share })
    .from(points)
    .where(and(eq(points.jobId, run.jobId), eq(points.placement, run.placement)))
    .orderBy(asc(points.seq));
}
