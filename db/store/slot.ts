// Statements about slots, their offers and leases, bound to a database by the store.

export { countSlots, findGpusElsewhere, findGpusLent } from '../slot/slots.ts';
export { findAbandonedLeases } from '../slot/abandoned-leases.ts';
export { retireSlot } from '../slot/slots.ts';
export {
  findLease,
  findOfferHolders,
  freeSlot,
  leaseSlot,
  offerSlot,
  renewOffers,
  returnOffer,
  withdrawOffers,
} from '../slot/slots.ts';
