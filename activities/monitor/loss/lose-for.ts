import { ApplicationFailure, log } from '@temporalio/activity';
import { isTrialId } from '../../../domain/ids.ts';
import { isInUse } from '../../../domain/fleet/lendable.ts';
import { lose } from './lose.ts';
import type { Placed } from './placed.ts';
import { removeRun } from './remove-run.ts';
import { isDamage, servesOn, TALK_KILLED } from '../shortage.ts';

/**
 * The run is lost to what its machine lacks: that lends nothing of the kind from here on, which is stored, and the slot is
 * free. Throws where a newer attempt follows the run. What dies in between is gone on with by `leave`.
 */
export async function loseFor(of: Placed, shortage: string): Promise<void> {
  const { deps, key, run } = of;
  await withhold(of, shortage);
  if (isDamage(shortage)) await tell(of, shortage);
  if (!(await deps.store.run.saveShortage({ ...key, follower: run.follower, shortage })))
    throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  await lose(of, shortage === TALK_KILLED ? shortage : null);
  deps.reach('shortage-found');
  await removeRun(of);
}

/** From here on the host, or the slot alone, is not lent (this machine admits nothing), and the slot may be freed. */
async function withhold({ deps, run }: Placed, shortage: string): Promise<void> {
  // Until a look finds its GPU free.
  if (isInUse(shortage)) await deps.store.slot.retireSlot(run.slotId);
  if (!deps.hosts.isOwnHost(run.host) && !servesOn(shortage))
    await deps.store.host.hostFailed({ name: run.host, message: shortage });
}

/** What has done it may do it again: a person should hear of it, though the research goes on by itself. */
async function tell({ deps, key, run }: Placed, shortage: string): Promise<void> {
  log.warn(shortage, { ...key, host: run.host });
  // A person who waits for another job hears from the terminal that it is begun once more.
  if (!isTrialId(key.trialId)) return;
  const { researchId } = await deps.store.trial.loadTrial(key.trialId);
  await deps.store.research.insertAlert({
    researchId,
    message: `${key.trialId} on ${run.host}: ${shortage}`,
    once: true,
  });
}
