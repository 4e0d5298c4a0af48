import { log } from '@temporalio/activity';
import { failedHost } from '../../../domain/fault/attribute.ts';
import type { Run } from '../../../db/run/run.ts';
import { hostFull } from '../../host/disk-full.ts';
import type { FollowContext } from '../follow-run.ts';

/** A run on its host. */
export type Placed = Pick<FollowContext, 'deps' | 'compute' | 'key'> & { run: Run };

export const placedOf = (deps: Placed['deps'], run: Run): Placed => ({
  deps,
  run,
  key: { trialId: run.trialId, placement: run.placement },
  // A host that is no longer in the fleet is not needed to free its slot.
  get compute() {
    return deps.hosts.computeOf(run.host);
  },
});

/**
 * What a dead supervisor left behind must not run on beside the next placement. `why`: null where the host was told of already.
 * False where the host could not be asked to end it.
 */
export async function loseRun(of: Placed, why: string | null): Promise<boolean> {
  const { deps, compute, key, run } = of;
  try {
    await compute.kill(key, run.fence);
    compute.forgetConfinement();
    if (why === null && !deps.hosts.isOwnHost(run.host)) await deps.store.host.doubtHost(run.host);
    // Who frees the slot counts it: once, or not at all where we die in between.
    if ((await release(of)) && why !== null) await suspect(of, why);
    return true;
  } catch (error) {
    const message = failedHost(error);
    if (message === null) throw error;
    await deps.store.host.noteHostFailure({ name: run.host, message });
    await deps.store.run.freeUnconfirmed({ ...key, fence: run.fence });
    return false;
  }
}

/** Frees the slot of a run, whoever follows it by now; true where it was still held. */
export const release = async ({ deps, key }: Pick<Placed, 'deps' | 'key'>): Promise<boolean> =>
  deps.store.run.freeSlotOfPlacement(key);

async function suspect({ deps, key, run: { host } }: Placed, why: string): Promise<void> {
  if (deps.hosts.isOwnHost(host)) return;
  await deps.store.host.noteLostRun({
    name: host,
    message: `run ${key.placement} of ${key.trialId} was lost there: ${why}`,
  });
}

/** Of a run that was lost to its machine nothing stays. */
export async function releaseAndRemoveRun(of: Placed): Promise<void> {
  await release(of);
  await removeRun(of);
}

/** Removes what a run left on its host. If that fails, the directory is removed once it has expired. */
export const removeRun = (of: Placed): Promise<void> => removing(of, () => of.compute.remove(of.key));

/** The same if the disk of the host is full. Else the files of a lost run stay: only they tell a person why it was lost. */
export const removeRunIfDiskFull = (of: Placed): Promise<void> =>
  removing(of, async () => {
    if ((await hostFull(of.deps, of.run.host)) !== null) await of.compute.remove(of.key);
  });

async function removing({ key, run: { host } }: Pick<Placed, 'key' | 'run'>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn('a run directory could not be removed', { ...key, host, error: String(error) });
  }
}
