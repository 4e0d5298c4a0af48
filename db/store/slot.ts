// Statements about slots, their offers and leases, bound to a database by the store.

export { countSlots, findGpusElsewhere, findGpusLent } from '../slot/slots.ts';
export { findForsakenLeases } from '../slot/forsaken.ts';
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
