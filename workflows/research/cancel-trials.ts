import { getExternalWorkflowHandle, log } from '@temporalio/workflow';
import type { TrialSpec } from '../../domain/trial.ts';
import type { State } from './state.ts';

/** Asks every trial in flight to stop; one that closed meanwhile is no error. */
export const cancelTrials = (state: State): Promise<void> => cancelAll([...state.inflight.values()]);

export async function cancelAll(trials: readonly TrialSpec[]): Promise<void> {
  await Promise.all(
    trials.map(async ({ trialId }) => {
      try {
        await getExternalWorkflowHandle(trialId).cancel();
      } catch (error) {
        log.info('a trial closed before it could be cancelled', { trialId, error: String(error) });
      }
    }),
  );
}
