import { ApplicationFailure, log } from '@temporalio/activity';
import { HOST_AFTER, type HostFailure } from '../../../domain/fault/attribute.ts';
import { isTrialId } from '../../../domain/trial/ids.ts';
import { loseRun, type Placed, removeRun } from './lose-run.ts';

/**
 * Loses a run to its host: stores the reason, withholds the slot or host at fault from further runs, and frees the
 * slot. Throws if a newer attempt follows the run. If the worker dies in between, the next attempt finds the stored
 * reason and frees the slot.
 */
export async function loseRunToHost(placed: Placed, { cause, words }: HostFailure): Promise<void> {
  const { deps, key, run } = placed;
  const after = HOST_AFTER[cause];
  // This machine has no row among the hosts, and admits no trial while its disk is full.
  if (after === 'slot-rests') await deps.store.slot.retireSlot(run.slotId);
  if (after === 'rests' && !deps.hosts.isOwnHost(run.host))
    await deps.store.host.noteHostFailure({ name: run.host, message: words });
  if (after === 'alerts') await alert(placed, words);
  if (!(await deps.store.run.saveShortage({ ...key, follower: run.follower, shortage: words })))
    throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  await loseRun(placed, after === 'suspected' ? words : null);
  deps.reach('shortage-found');
  await removeRun(placed);
}

/**
 * Stores an alert of the trial's research. Other jobs have no alerts: `perpetua run` prints that the job starts again.
 */
async function alert({ deps, key, run }: Placed, words: string): Promise<void> {
  log.warn(words, { ...key, host: run.host });
  if (!isTrialId(key.jobId)) return;
  const { researchId } = await deps.store.trial.loadTrial(key.jobId);
  await deps.store.research.insertAlert({
    researchId,
    message: `${key.jobId} on ${run.host}: ${words}`,
    once: true,
  });
}
