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
 * Runs work on the host of a lease before a worker follows the run. If the host fails or refuses the task, frees the
 * slot and returns `elsewhere`; a probe ends what may have begun there. A refusal concerns one task: other tasks may
 * still use the host.
 */
export async function rescheduleOnHostFailure(
  deps: ActivityDeps,
  held: { jobId: string; lease: Lease },
  work: () => Promise<LaunchResult>,
): Promise<LaunchResult> {
  const { jobId, lease } = held;
  const { host } = lease;
  try {
    return await withHostFailure(deps, host, { work, otherwise: (message) => reschedule(deps, held, message) });
  } catch (error) {
    if (isFault(error, 'slot-taken')) {
      // The slot is not lent until a probe finds its GPU free.
      await deps.store.slot.retireSlot(lease.id);
      await deps.store.host.noteOnHost({ name: host, note: error instanceof Error ? error.message : String(error) });
      return reschedule(deps, held);
    }
    if (attributeError(error) === 'host' && !deps.hosts.isOwnHost(host)) {
      const { message } = error as Error;
      await deps.store.host.noteHostFailure({ name: host, message });
      return reschedule(deps, held, message);
    }
    const refusal = refusalOf(error);
    // On this machine there is no other host to try, and a person may fix the cause.
    if (refusal === null || deps.hosts.isOwnHost(host))
      throw refusal?.why === 'setup-failed' ? toSetupFailure(error) : error;
    const detail = `host ${host}: ${refusal.detail}`;
    await deps.store.host.noteOnHost({ name: host, note: `refused ${jobId}: ${refusal.detail}` });
    const hosts = await deps.store.host.countServing(lease.pool);
    return { ...(await reschedule(deps, held)), refusal: { ...refusal, detail, hosts } };
  }
}
