// Statements about the hosts of the fleet, bound to a database by the store.

export { applyFleet } from '../host/apply-fleet.ts';
export {
  countServing,
  drainHosts,
  findHosts,
  hostAway,
  hostFailed,
  hostWorked,
  isForgotten,
  leftRemoved,
  noteOnHost,
  runLost,
} from '../host/fleet.ts';
export { findPools } from '../host/fleet.ts';
export { claimLook, doubtHost, hostWell } from '../host/looks.ts';
