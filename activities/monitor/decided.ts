import type { Failure, FailureLabel } from '../../domain/trial.ts';

/** Stops for what a run itself printed, or wrote: a machine that dies before they are carried out takes nothing back. */
const OF_RUN: ReadonlySet<FailureLabel> = new Set(['cannot-win', 'not-finite', 'diverged', 'disk-limit']);

/** Whether a run is over by that decision, whatever became of its machine since. */
export const isDecided = (stop: Failure | null): stop is Failure => stop !== null && OF_RUN.has(stop.label);
