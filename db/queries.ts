// What the store binds to a database.

export { countWishes, findEndedCurves, loadCurve, loadCurves, saveAbort } from './queries/abort.ts';
export { admit } from './queries/admit.ts';
export { applyFleet } from './queries/apply-fleet.ts';
export { findBeside } from './queries/beside.ts';
export { beginCall, findCall, recordEndpoint, saveAnswer, saveCallError } from './queries/call.ts';
export { findEarlierPlaces, findLeftOn } from './queries/left.ts';
export { isWrittenCode } from './queries/lineage.ts';
export { loadCandidateFiles } from './queries/candidate.ts';
export { changeBudget } from './queries/change-budget.ts';
export { changeTask } from './queries/change-task.ts';
export { createResearch } from './queries/create-research.ts';
export {
  countServing,
  countSlots,
  drainHosts,
  findGpusLent,
  findHosts,
  hostAway,
  hostFailed,
  hostWorked,
  isForgotten,
  runLost,
  leftRemoved,
  noteOnHost,
  retireSlot,
} from './queries/fleet.ts';
export { findForsakenLeases } from './queries/forsaken.ts';
export { closeOrphan, freeUnseen } from './queries/free-unseen.ts';
export { findHistory, findTrialOf } from './queries/history.ts';
export { injectRun } from './queries/inject.ts';
export { claimLook, doubtHost, hostWell } from './queries/looks.ts';
export { findOrphans } from './queries/orphans.ts';
export { overrideVerdict } from './queries/override-verdict.ts';
export {
  beginProposal,
  findKnown,
  findTwin,
  loadTrial,
  loadTrialAndResearch,
  saveProposal,
} from './queries/proposal.ts';
export {
  findNotes,
  findResearch,
  findUnfinished,
  insertAlert,
  insertNote,
  recordPhase,
  takeCharge,
  updateResearch,
} from './queries/research.ts';
export { findOpening, findRestarts, findUnderWay, forgetRestart, noteRestart, takeLeft } from './queries/restart.ts';
export {
  beginRun,
  closeRun,
  findRun,
  findStaleLeases,
  freeSlotOf,
  loadArtefacts,
  markLaunched,
  noteWait,
  saveProgress,
  saveRunEnd,
  isFollower,
  saveShortage,
  saveStop,
  takeOver,
} from './queries/run.ts';
export { findEnded, settle } from './queries/settle.ts';
export {
  findLease,
  findOfferHolders,
  freeSlot,
  leaseSlot,
  offerSlot,
  renewOffers,
  returnOffer,
  withdrawOffers,
} from './queries/slots.ts';
export { loadTaskFiles, loadTaskVersion, saveTaskVersion } from './queries/task-version.ts';
