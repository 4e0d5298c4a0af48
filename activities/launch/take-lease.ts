import { ApplicationFailure } from '@temporalio/activity';
import type { Lease } from '../../db/slot/slots.ts';
import type { ActivityDeps } from '../deps.ts';

/** The lease that the trial holds, or else a new one on this worker's offer; an offer that is not needed lapses. */
export async function takeLease(deps: ActivityDeps, want: { trialId: string; pool: string }): Promise<Lease> {
  const offer = deps.pools.takeOffer(want.pool);
  const lease = offer
    ? await deps.store.slot.leaseSlot({ trialId: want.trialId, ...offer })
    : await deps.store.slot.findLease(want.trialId);
  if (!lease) throw ApplicationFailure.retryable('the offer of a slot lapsed before it was used', 'OfferLapsed');
  return lease;
}
