import type { Lease } from '../../db/queries/slots.ts';
import type { ActivityDeps } from '../deps.ts';
import type { LaunchResult } from './launch-result.ts';

/** Frees the slot of a trial that has to be placed once more. */
export async function giveUp(
  deps: ActivityDeps,
  { trialId, lease: { host, fence } }: { trialId: string; lease: Lease },
): Promise<LaunchResult> {
  await deps.store.freeSlot({ trialId, fence });
  return { state: 'elsewhere', host };
}
