import type { CustomSlotSupplier, ActivitySlotInfo, SlotReserveContext } from '@temporalio/worker';
import { isDeadHere } from '../holder.ts';
import { createOfferQueue } from './offer-queue.ts';
import type { Store } from '../../db/store.ts';
import { OFFER_SECONDS } from '../../db/slot/slots.ts';

export interface Permits {
  supplier: CustomSlotSupplier<ActivitySlotInfo>;
  /** The slot that an activity of this worker may lease; null where an offer lapsed. */
  take: () => { slotId: string; holder: string } | null;
  /** Something may have become free. */
  wake: () => void;
  /** Gives back what is unused. */
  close: () => Promise<void>;
}

/**
 * A permit is an offer of a free slot, held as a row: the worker takes an activity from the queue only while it holds
 * one. Permits are interchangeable: a launch takes any offer, and whatever is left over when permits come back is
 * returned. Offers of a worker that died lapse by themselves.
 */
export function createPermits(from: {
  store: Store;
  pool: string;
  /** The host whose slots this worker may lend; without one, those of the fleet's hosts. */
  host?: string;
  /** The name of this machine, whose GPUs no other worker may lend. */
  own?: string;
  holder: string;
  onError: (error: unknown) => void;
  /** Called once an offer is held. */
  offered: () => void;
}): Permits {
  const { store, pool, holder, onError, offered } = from;
  const { host, own } = from;
  const where = { pool, ...(host === undefined ? {} : { host }), ...(own === undefined ? {} : { own }) };
  let offers: string[] = [];
  let permits = 0;
  let closed = false;

  const giveBackSurplus = async (): Promise<void> => {
    // Permits of activities that end after the close are below zero.
    while (offers.length > Math.max(0, permits)) {
      const slotId = offers.pop();
      if (slotId !== undefined) await store.slot.returnOffer({ slotId, holder });
    }
  };
  /** A worker that died on this host leaves offers; waiting for them to lapse would idle their slots. */
  const withdrawDead = async (): Promise<void> => {
    const dead = (await store.slot.findOfferHolders(pool)).filter(isDeadHere);
    for (const gone of dead) await store.slot.withdrawOffers(gone);
  };
  const renew = async (): Promise<void> => {
    await withdrawDead();
    if (offers.length === 0) return;
    // Only these: an offer that a failed launch took along must lapse.
    const asked = new Set(offers);
    const held = new Set(await store.slot.renewOffers({ holder, slotIds: [...asked] }));
    // One that came meanwhile was not asked about.
    offers = offers.filter((slotId) => held.has(slotId) || !asked.has(slotId));
  };
  void withdrawDead().catch(onError);
  const renewing = setInterval(() => void renew().catch(onError), (OFFER_SECONDS * 1000) / 3);

  const queue = createOfferQueue({
    offer: () => store.slot.offerSlot({ ...where, holder }),
    giveBack: (slotId) => store.slot.returnOffer({ slotId, holder }),
    onError,
  });

  return {
    supplier: {
      type: 'custom',
      async reserveSlot(_context: SlotReserveContext, signal: AbortSignal) {
        if (closed) throw new Error('the wait for a slot was given up');
        const slotId = await queue.next(signal);
        permits += 1;
        offers.push(slotId);
        offered();
        return {};
      },
      tryReserveSlot: () => null,
      markSlotUsed: () => undefined,
      releaseSlot() {
        permits -= 1;
        void giveBackSurplus().catch(onError);
      },
    },
    take() {
      const slotId = offers.shift();
      return slotId === undefined ? null : { slotId, holder };
    },
    wake: queue.wake,
    async close() {
      closed = true;
      clearInterval(renewing);
      permits = 0;
      await Promise.all([queue.close(), giveBackSurplus()]);
    },
  };
}
