import { failedHost } from '../../../domain/fault/attribute.ts';
import type { Placed } from './placed.ts';
import { release } from './release.ts';

/**
 * What a dead supervisor left behind must not run on beside the next placement. `why`: null where the host was told of already.
 * False where the host could not be asked to end it.
 */
export async function lose(of: Placed, why: string | null): Promise<boolean> {
  const { deps, compute, key, run } = of;
  try {
    await compute.kill(key, run.fence);
    compute.doubt();
    if (why === null && !deps.hosts.isOwnHost(run.host)) await deps.store.host.doubtHost(run.host);
    // Who frees the slot counts it: once, or not at all where we die in between.
    if ((await release(of)) && why !== null) await suspect(of, why);
    return true;
  } catch (error) {
    const message = failedHost(error);
    if (message === null) throw error;
    await deps.store.host.hostFailed({ name: run.host, message });
    await deps.store.run.freeUnseen({ ...key, fence: run.fence });
    return false;
  }
}

async function suspect({ deps, key, run: { host } }: Placed, why: string): Promise<void> {
  if (deps.hosts.isOwnHost(host)) return;
  await deps.store.host.runLost({
    name: host,
    message: `run ${key.placement} of ${key.trialId} was lost there: ${why}`,
  });
}
