// Statements about runs and what they leave behind, bound to a database by the store.

export { countWishes, findEndedCurves, loadCurve, loadCurves, saveAbort } from '../run/abort.ts';
export { findBeside } from '../run/beside.ts';
export { findBaselineRuns, findCarried, findFinished, settleCarried } from '../run/carried.ts';
export { closeOrphan, freeUnseen } from '../run/free-unseen.ts';
export { findEarlierPlaces, findLeftOn } from '../run/left.ts';
export { findOlderRuns, forgetOutputs, noteRemoved } from '../run/orphans.ts';
export { findOrphans } from '../run/orphans.ts';
export {
  beginRun,
  closeRun,
  findRun,
  findStaleLeases,
  freeSlotOf,
  isFollower,
  loadArtefacts,
  markLaunched,
  noteWait,
  saveProgress,
  saveShortage,
  saveStop,
  takeOver,
} from '../run/run.ts';
export { saveAnswerCpu, saveRunEnd } from '../run/save-end.ts';
