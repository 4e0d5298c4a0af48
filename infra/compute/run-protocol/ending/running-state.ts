import type { RunningState } from '../../../compute.ts';

/**
 * State of a run under way. Leaves out a negative age: a container may count its uptime and births by two clocks.
 * Leaves out a wait that is no number: without a sandbox, the candidate can write the file of the measurement.
 */
export const runningState = (
  seconds: number,
  { writtenMb, waitSeconds }: { writtenMb?: number | undefined; waitSeconds?: number | undefined } = {},
): RunningState => ({
  state: 'running',
  ...(seconds >= 0 ? { seconds } : {}),
  ...(writtenMb === undefined ? {} : { writtenMb }),
  ...(waitSeconds !== undefined && waitSeconds >= 0 ? { waitSeconds } : {}),
});
