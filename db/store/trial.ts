// Statements about trials and their candidates, bound to a database by the store.

export { mendJobs } from '../trial/outcome.ts';
export { findFixed, findTexts, loadCandidateFiles, loadCandidates, saveCandidate } from '../trial/candidate.ts';
export { findMeanCompute, findUnmodified } from '../trial/compute.ts';
export { findHistory, findNumberedHistory, findTrialOf } from '../trial/history.ts';
export { findBestTrials } from '../trial/told/best.ts';
export { findCandidateMeans } from '../trial/told/means.ts';
export { findCurvePoints } from '../trial/told/means.ts';
export { findDiffs } from '../trial/told/seen.ts';
export { findOriginals, findSeen } from '../trial/told/seen.ts';
export { findUnderWay } from '../trial/told/best.ts';
export {
  fillKnobs,
  findObserved,
  findUnread,
  readObservations,
  saveKnobs,
  saveObserved,
} from '../trial/observations.ts';
export { isWrittenCode } from '../trial/proposal.ts';
export { findEnded, findNumbered, readAwaySeconds, writeOutcome, writeRuling } from '../trial/outcome.ts';
export {
  beginProposal,
  findKnown,
  findTwin,
  loadTrial,
  loadTrialAndResearch,
  saveProposal,
} from '../trial/proposal.ts';
export {
  findMeans,
  findRanks,
  findTried,
  findUnrewarded,
  rewardCopies,
  takeRewardBack,
  writeReward,
} from '../trial/reward.ts';
export { findTrust } from '../trial/trust.ts';
