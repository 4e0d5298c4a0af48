// Statements about runs and what they leave behind, bound to a database by the store.

export { countAbortDecisions, findEndedCurves, loadCurve, loadCurves, saveAbort } from '../run/abort.ts';
export { findOtherJobsOnHost } from '../run/other-jobs-on-host.ts';
export { findBaselineRuns, findCarried, findComparableRuns, recordCarriedTest } from '../run/carried-curves.ts';
export { closeOrphan, freeUnconfirmed } from '../run/free-unconfirmed.ts';
export { findEarlierPlacements, findLeftoversOn } from '../run/run-leftovers.ts';
export { findOlderRuns, forgetOutputs, noteRemoved } from '../run/orphans.ts';
export { findOrphans } from '../run/orphans.ts';
export {
  beginRun,
  closeRun,
  findRun,
  findStaleLeases,
  freeSlotOfPlacement,
  isFollower,
  loadArtefacts,
  markLaunched,
  noteWait,
  saveContention,
  saveProgress,
  saveShortage,
  saveStop,
  becomeFollower,
} from '../run/run.ts';
export { saveAnswerCpu, saveRunEnd } from '../run/save-end.ts';
