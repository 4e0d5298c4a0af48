import type { CustomSlotSupplier, ActivitySlotInfo, SlotReserveContext } from '@temporalio/worker';
import { isDeadHere } from '../holder.ts';
import { createOfferQueue } from './offer-queue.ts';
import type { Store } from '../../db/store.ts';
import { OFFER_SECONDS } from '../../db/slot/slots.ts';

export interface Permits {
  supplier: CustomSlotSupplier<ActivitySlotInfo>;
  /** Slot that an activity of this worker may lease; null if its offer lapsed. */
  takeOffer: () => { slotId: string; holder: string } | null;
  /** Reports that a slot may have become free. */
  wake: () => void;
  /** Returns unused offers. */
  close: () => Promise<void>;
}

/**
 * A permit is an offer of a free slot, which is a row: the worker takes an activity from the queue only while it holds
 * one. Permits are interchangeable: a launch takes any offer, and offers that remain when permits come back are
 * returned. Offers of a dead worker lapse by themselves.
 */
export function createPermits(from: {
  store: Store;
  pool: string;
  /** Host whose slots this worker may lend; absent: those of the fleet's hosts. */
  host?: string;
  /** Name of this machine, whose GPUs no other worker may lend. */
  own?: string;
  holder: string;
  onError: (error: unknown) => void;
  /** Runs after an offer was taken. */
  offered: () => void;
}): Permits {
  const { store, pool, holder, onError, offered } = from;
  const { host, own } = from;
  const slots: { pool: string; host?: string; own?: string } = { pool };
  if (host !== undefined) slots.host = host;
  if (own !== undefined) slots.own = own;
  let offers: string[] = [];
  let permits = 0;
  let closed = false;

  const giveBackSurplus = async (): Promise<void> => {
    // `permits` falls below zero when activities end after the close.
    while (offers.length > Math.max(0, permits)) {
      const slotId = offers.pop();
      if (slotId !== undefined) await store.slot.returnOffer({ slotId, holder });
    }
  };
  /** Withdraws offers that a dead worker of this host left: their slots would be idle until the offers lapse. */
  const withdrawDead = async (): Promise<void> => {
    const dead = (await store.slot.findOfferHolders(pool)).filter(isDeadHere);
    for (const gone of dead) await store.slot.withdrawOffers(gone);
  };
  const renew = async (): Promise<void> => {
    await withdrawDead();
    if (offers.length === 0) return;
    // Only offers in the list are renewed: an offer that a failed launch took must lapse.
    const asked = new Set(offers);
    const held = new Set(await store.slot.renewOffers({ holder, slotIds: [...asked] }));
    // An offer that came meanwhile was not renewed yet, and stays.
    offers = offers.filter((slotId) => held.has(slotId) || !asked.has(slotId));
  };
  void withdrawDead().catch(onError);
  const renewing = setInterval(() => void renew().catch(onError), (OFFER_SECONDS * 1000) / 3);

  const queue = createOfferQueue({
    offer: () => store.slot.offerSlot({ ...slots, holder }),
    giveBack: (slotId) => store.slot.returnOffer({ slotId, holder }),
    onError,
  });

  return {
    supplier: {
      type: 'custom',
      async reserveSlot(_context: SlotReserveContext, signal: AbortSignal) {
        if (closed) throw new Error('the worker stopped waiting for a slot');
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
    takeOffer() {
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
