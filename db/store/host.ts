// Statements about the hosts of the fleet, bound to a database by the store.

export { applyFleet } from '../host/apply-fleet.ts';
export {
  countServing,
  drainHosts,
  findHosts,
  secondsSinceContact,
  noteHostFailure,
  noteHostSuccess,
  isForgotten,
  noteLeftoversRemoved,
  noteOnHost,
  noteLostRun,
} from '../host/fleet.ts';
export { findPools } from '../host/fleet.ts';
export { claimProbe, requestProbe, recordGoodProbe } from '../host/host-probes.ts';
