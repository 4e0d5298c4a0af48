import { curveBudget } from '../../domain/abort/settings.ts';
import { isContended, lackedCore, type Ending } from '../../domain/trial/outcome.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Failure } from '../../domain/trial.ts';

/**
 * Whether others kept a run of CPU time from its core, so that its end says nothing of it. One that was stopped by the clock
 * while it waited looked worse by that; what it was stopped for otherwise it would have been on a core of its own.
 */
export function wasContended(task: Task, { end, stop }: { end: Ending; stop: Failure | null }): boolean {
  if (task.run.budget.kind !== 'cpu') return false;
  return stop === null ? isContended(end) : isByClock(task, stop) && lackedCore(end);
}

/** Whether it was decided by how long the run took: one that waited for its core looks worse by that. */
export function isByClock(task: Task, { label }: Failure): boolean {
  if (label === 'cannot-win') return curveBudget(task)?.kind === 'seconds';
  return label === 'too-slow' || label === 'stalled';
}
