import { ApplicationFailure, log } from '@temporalio/activity';
import type { Run } from '../../db/queries/run.ts';
import { isInUse } from '../../domain/fleet/lendable.ts';
import { isDamage, servesOn } from './shortage.ts';
import type { Watch } from './follow-run.ts';

/** A run on its host. */
export type Placed = Pick<Watch, 'deps' | 'compute' | 'key'> & { run: Run };

export const placedOf = (deps: Placed['deps'], run: Run): Placed => ({
  deps,
  run,
  key: { trialId: run.trialId, placement: run.placement },
  // A host that is no longer in the fleet is not needed to free its slot.
  get compute() {
    return deps.computeOf(run.host);
  },
});

/**
 * The run is lost to what its machine lacks: that lends nothing of the kind from here on, which is stored, and the slot is
 * free. Throws where a newer attempt follows the run. What dies in between is gone on with by {@link leave}.
 */
export async function loseFor(of: Placed, shortage: string): Promise<void> {
  const { deps, key, run } = of;
  await withhold(of, shortage);
  if (isDamage(shortage)) await tell(of, shortage);
  if (!(await deps.store.saveShortage({ ...key, follower: run.follower, shortage })))
    throw ApplicationFailure.retryable('a newer monitor took over', 'Fenced');
  await lose(of, null);
  deps.reach('shortage-found');
  await removeRun(of);
}

/** Of a run that was lost to its machine nothing stays. */
export async function leave(of: Placed): Promise<void> {
  await release(of);
  await removeRun(of);
}

/** From here on the host, or the slot alone, is not lent (this machine admits nothing), and the slot may be freed. */
async function withhold({ deps, run }: Placed, shortage: string): Promise<void> {
  // Until a look finds its GPU free.
  if (isInUse(shortage)) await deps.store.retireSlot(run.slotId);
  if (!deps.isOwnHost(run.host) && !servesOn(shortage))
    await deps.store.hostFailed({ name: run.host, message: shortage });
}

/** What has done it may do it again: a person should hear of it, though the research goes on by itself. */
async function tell({ deps, key, run }: Placed, shortage: string): Promise<void> {
  log.warn(shortage, { ...key, host: run.host });
  const { researchId } = await deps.store.loadTrial(key.trialId);
  await deps.store.insertAlert({ researchId, message: `${key.trialId} on ${run.host}: ${shortage}`, once: true });
}

/**
 * What a dead supervisor left behind must not run on beside the next placement. `why`: null where the host was told of already.
 * False where the host could not be asked to end it.
 */
export async function lose(of: Placed, why: string | null): Promise<boolean> {
  const { deps, compute, key, run } = of;
  try {
    await compute.kill(key, run.fence);
    compute.doubt();
    if (why === null && !deps.isOwnHost(run.host)) await deps.store.doubtHost(run.host);
    // Who frees the slot counts it: once, or not at all where we die in between.
    if ((await release(of)) && why !== null) await suspect(of, why);
    return true;
  } catch (error) {
    const message = deps.hostFault(error);
    if (message === null) throw error;
    // Its row stays open: the host lends nothing before a look has seen it gone.
    await deps.store.hostFailed({ name: run.host, message });
    await deps.store.freeSlot({ trialId: key.trialId, fence: run.fence });
    return false;
  }
}

async function suspect({ deps, key, run: { host } }: Placed, why: string): Promise<void> {
  if (deps.isOwnHost(host)) return;
  await deps.store.runLost({ name: host, message: `run ${key.placement} of ${key.trialId} was lost there: ${why}` });
}

/** What filled a disk may be the run's own. What cannot be removed now is once it has expired. */
export async function removeRun<T extends Placed>(
  of: T,
  { where = () => Promise.resolve(true) }: { where?: (of: T) => Promise<boolean> } = {},
): Promise<void> {
  const { key, run } = of;
  try {
    if (await where(of)) await of.compute.remove(key);
  } catch (error) {
    log.warn('a run directory could not be removed', { ...key, host: run.host, error: String(error) });
  }
}

export const release = async ({ deps, key }: Placed): Promise<boolean> => deps.store.freeSlotOf(key);
