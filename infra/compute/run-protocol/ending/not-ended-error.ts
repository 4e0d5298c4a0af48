import { RunGoneError, type RunRef } from '../../../compute.ts';

/** Error for a verb that needs an ended run. If the run is absent or lost, a retry cannot succeed. */
export const notEndedError = (host: string, run: RunRef, { verb, state }: { verb: string; state: string }): Error =>
  state === 'absent' || state === 'lost'
    ? new RunGoneError(host, { run, state })
    : new Error(`${verb}: expected an ended run of ${run.jobId}; it is ${state}`);
