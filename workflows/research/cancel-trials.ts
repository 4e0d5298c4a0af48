import { condition, getExternalWorkflowHandle, log, proxyActivities, TemporalFailure } from '@temporalio/workflow';
import type { TrialSpec } from '../../domain/trial.ts';
import type { MainActivities } from '../../activities/index.ts';
import { optionsOf } from '../timeouts.ts';
import { countEnded, type State } from './state.ts';

/** Cancels every trial in flight. A trial that closed meanwhile is no error. */
export const cancelTrials = (state: State): Promise<void> => cancelAll([...state.inflight.values()]);

async function cancelAll(trials: readonly TrialSpec[]): Promise<void> {
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

/**
 * Ends admitted trials that a cancelled research no longer starts. A trial that cannot be ended now is adopted at the
 * next start.
 */
export async function endUnstarted(state: State): Promise<void> {
  await condition(() => !state.admitting);
  const { slow, look } = optionsOf(state.input.tempo ?? 1);
  const retry = { maximumAttempts: 5 };
  const { reconcile } = proxyActivities<MainActivities>({ ...look, retry });
  const { abandon } = proxyActivities<MainActivities>({ ...slow, retry });
  try {
    const { missing } = await reconcile({
      researchId: state.id,
      ns: [...state.inflight.keys()],
      pool: state.pool,
    });
    // Some may have a workflow: the research was cancelled before the start of their child workflow was recorded.
    await cancelAll(missing);
    const ended = await Promise.all(missing.map(({ trialId }) => abandon({ trialId, why: 'cancelled' })));
    ended.forEach((trial) => countEnded(state, trial));
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    log.warn('trials of a cancelled research could not be ended', { researchId: state.id, error: String(error) });
  }
}
