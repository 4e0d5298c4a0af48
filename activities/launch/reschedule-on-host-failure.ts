import type { Lease } from '../../db/slot/slots.ts';
import { attributeError } from '../../domain/fault/attribute.ts';
import { isFault } from '../../domain/fault/host-fault.ts';
import { refusalOf } from '../../domain/fault/refusal.ts';
import { withHostFailure } from '../host/with-host-failure.ts';
import type { ActivityDeps } from '../deps.ts';
import { reschedule } from './reschedule.ts';
import { toSetupFailure } from './to-setup-failure.ts';
import type { LaunchResult } from './launch-result.ts';

/**
 * A host that fails, or refuses the task, before anybody follows the run: its slot is given up, and what may have begun
 * there is ended later. A refusal is between that task and that host, which others may go on using.
 */
export async function rescheduleOnHostFailure(
  deps: ActivityDeps,
  on: { trialId: string; lease: Lease },
  work: () => Promise<LaunchResult>,
): Promise<LaunchResult> {
  const { host } = on.lease;
  try {
    return await withHostFailure(deps, host, { work, otherwise: (message) => reschedule(deps, on, message) });
  } catch (error) {
    if (isFault(error, 'slot-taken')) {
      // Until a look finds the GPU free again.
      await deps.store.slot.retireSlot(on.lease.id);
      await deps.store.host.noteOnHost({ name: host, note: error instanceof Error ? error.message : String(error) });
      return reschedule(deps, on);
    }
    if (attributeError(error) === 'host' && !deps.hosts.isOwnHost(host)) {
      const { message } = error as Error;
      await deps.store.host.noteHostFailure({ name: host, message });
      return reschedule(deps, on, message);
    }
    const refusal = refusalOf(error);
    // Here a person may mend it, and nobody else would take the trial.
    if (refusal === null || deps.hosts.isOwnHost(host))
      throw refusal?.why === 'setup-failed' ? toSetupFailure(error) : error;
    const detail = `host ${host}: ${refusal.detail}`;
    await deps.store.host.noteOnHost({ name: host, note: `refused ${on.trialId}: ${refusal.detail}` });
    const hosts = await deps.store.host.countServing(on.lease.pool);
    return { ...(await reschedule(deps, on)), refusal: { ...refusal, detail, hosts } };
  }
}
