import type { RunningState } from '../../../compute.ts';

/** State of a run under way. Leaves out a negative age: a container may count its uptime and births by two clocks. */
export const runningState = (seconds: number, writtenMb?: number): RunningState => ({
  state: 'running',
  ...(seconds >= 0 ? { seconds } : {}),
  ...(writtenMb === undefined ? {} : { writtenMb }),
});
