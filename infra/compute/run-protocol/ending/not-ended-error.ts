import { RunGoneError, type RunRef } from '../../../compute.ts';

/** Why a run that has not ended cannot be asked for what it left: what is gone stays so, whoever asks. */
export const notEndedError = (host: string, run: RunRef, of: { verb: string; state: string }): Error =>
  of.state === 'absent' || of.state === 'lost'
    ? new RunGoneError(host, { run, state: of.state })
    : new Error(`${of.verb}: expected an ended run of ${run.trialId}; it is ${of.state}`);
