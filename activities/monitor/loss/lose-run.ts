import { log } from '@temporalio/activity';
import { failedHost } from '../../../domain/fault/attribute.ts';
import type { Run } from '../../../db/run/run.ts';
import { hostFull } from '../../host/disk-full.ts';
import type { FollowContext } from '../follow-run.ts';

/** A run with the adapter of its host. */
export type Placed = Pick<FollowContext, 'deps' | 'compute' | 'key'> & { run: Run };

export const placedOf = (deps: Placed['deps'], run: Run): Placed => ({
  deps,
  run,
  key: { jobId: run.jobId, placement: run.placement },
  // A getter: the slot can be freed after the host has left the fleet, when `computeOf` throws.
  get compute() {
    return deps.hosts.computeOf(run.host);
  },
});

/**
 * Kills processes that a dead supervisor left behind, so that they do not run beside the next placement, and frees the
 * slot. `why`: the reason to suspect the host; null if the loss is counted elsewhere or is not the host's. Returns
 * false if the host could not be reached.
 */
export async function loseRun(placed: Placed, why: string | null): Promise<boolean> {
  const { deps, compute, key, run } = placed;
  try {
    await compute.kill(key, run.fence);
    compute.forgetConfinement();
    if (why === null && !deps.hosts.isOwnHost(run.host)) await deps.store.host.requestProbe(run.host);
    // Only the attempt that frees the slot counts the loss: once, or never if this worker dies in between.
    if ((await release(placed)) && why !== null) await suspect(placed, why);
    return true;
  } catch (error) {
    const message = failedHost(error);
    if (message === null) throw error;
    await deps.store.host.noteHostFailure({ name: run.host, message });
    await deps.store.run.freeUnconfirmed({ ...key, fence: run.fence });
    return false;
  }
}

/** Frees the slot of a run, even if a newer attempt follows the run. True if the slot was still held. */
export const release = async ({ deps, key }: Pick<Placed, 'deps' | 'key'>): Promise<boolean> =>
  deps.store.run.freeSlotOfPlacement(key);

async function suspect({ deps, key, run: { host } }: Placed, why: string): Promise<void> {
  if (deps.hosts.isOwnHost(host)) return;
  await deps.store.host.noteLostRun({
    name: host,
    message: `run ${key.placement} of ${key.jobId} was lost there: ${why}`,
  });
}

/** Frees the slot and removes the directory of a run that was lost to its host. */
export async function releaseAndRemoveRun(placed: Placed): Promise<void> {
  await release(placed);
  await removeRun(placed);
}

/** Removes the run directory. If that fails, the directory is removed once it has expired. */
export const removeRun = (placed: Placed): Promise<void> => logFailure(placed, () => placed.compute.remove(placed.key));

/** Removes the directory of a lost run only if the host's disk is full: its files show people why the run was lost. */
export const removeRunIfDiskFull = (placed: Placed): Promise<void> =>
  logFailure(placed, async () => {
    if ((await hostFull(placed.deps, placed.run.host)) !== null) await placed.compute.remove(placed.key);
  });

async function logFailure(
  { key, run: { host } }: Pick<Placed, 'key' | 'run'>,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    log.warn('a run directory could not be removed', { ...key, host, error: String(error) });
  }
}
