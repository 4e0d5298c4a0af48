import type { RunningState } from '../../../compute.ts';

/** A run that is under way, for so long where that is a time: a container may show an uptime of its own beside births of its host's. */
export const runningState = (seconds: number, writtenMb?: number): RunningState => ({
  state: 'running',
  ...(seconds >= 0 ? { seconds } : {}),
  ...(writtenMb === undefined ? {} : { writtenMb }),
});
