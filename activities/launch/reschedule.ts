import type { Lease } from '../../db/slot/slots.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LaunchResult } from './launch-result.ts';

/** Frees the slot of a trial that has to be placed once more. `detail`: failure of its host, in words. */
export async function reschedule(
  deps: ActivityDeps,
  { jobId, lease: { host, fence } }: { jobId: string; lease: Lease },
  detail?: string,
): Promise<LaunchResult> {
  await deps.store.slot.freeSlot({ jobId, fence });
  return detail === undefined ? { state: 'elsewhere', host } : { state: 'elsewhere', host, detail };
}
