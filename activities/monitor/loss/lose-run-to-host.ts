import { ApplicationFailure, log } from '@temporalio/activity';
import { HOST_AFTER, type HostFailure } from '../../../domain/fault/attribute.ts';
import { isTrialId } from '../../../domain/trial/ids.ts';
import { loseRun, type Placed, removeRun } from './lose-run.ts';

/**
 * Loses a run to its host: stores why, withholds what is at fault from further runs, and frees the slot. Throws if a newer
 * attempt follows the run. If the worker dies in between, `leave` goes on.
 */
export async function loseRunToHost(of: Placed, { cause, words }: HostFailure): Promise<void> {
  const { deps, key, run } = of;
  const after = HOST_AFTER[cause];
  // This machine admits nothing while its disk is full; it has no row.
  if (after === 'slot-rests') await deps.store.slot.retireSlot(run.slotId);
  if (after === 'rests' && !deps.hosts.isOwnHost(run.host))
    await deps.store.host.noteHostFailure({ name: run.host, message: words });
  if (after === 'alerts') await alert(of, words);
  if (!(await deps.store.run.saveShortage({ ...key, follower: run.follower, shortage: words })))
    throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  await loseRun(of, after === 'suspected' ? words : null);
  deps.reach('shortage-found');
  await removeRun(of);
}

/** The research goes on by itself. A person who waits for another job reads in the terminal that it is begun once more. */
async function alert({ deps, key, run }: Placed, words: string): Promise<void> {
  log.warn(words, { ...key, host: run.host });
  if (!isTrialId(key.trialId)) return;
  const { researchId } = await deps.store.trial.loadTrial(key.trialId);
  await deps.store.research.insertAlert({
    researchId,
    message: `${key.trialId} on ${run.host}: ${words}`,
    once: true,
  });
}
