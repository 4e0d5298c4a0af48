// Statements about trials and their candidates, bound to a database by the store.

export { mendJobs } from '../trial/mend-jobs.ts';
export { loadCandidateFiles, loadCandidates, saveCandidate } from '../trial/candidate.ts';
export { findFixed } from '../trial/find-fixed.ts';
export { findMeanCompute, findUnmodified } from '../trial/compute.ts';
export { findHistory, findTrialOf } from '../trial/history.ts';
export { isWrittenCode } from '../trial/lineage.ts';
export { findEnded, findNumbered, writeOutcome, writeRuling } from '../trial/outcome.ts';
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
