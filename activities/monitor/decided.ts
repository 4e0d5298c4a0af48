import type { Task } from '../../domain/task/task.ts';
import type { Failure, FailureLabel } from '../../domain/trial.ts';
import { isByClock } from './contended.ts';

/** Stops for what a run itself printed, or wrote: a machine that dies before they are carried out takes nothing back. */
const OF_RUN: ReadonlySet<FailureLabel> = new Set(['cannot-win', 'not-finite', 'diverged', 'disk-limit']);

/**
 * Whether a run is over by that decision, whatever became of its machine since. Whether one of CPU time had its core to itself
 * nobody knows then.
 */
export const isDecided = (task: Task, stop: Failure | null): stop is Failure =>
  stop !== null && OF_RUN.has(stop.label) && !(task.run.budget.kind === 'cpu' && isByClock(task, stop));
