// Statements about trials and their candidates, bound to a database by the store.

export { canEndTrial } from '../trial/can-end-trial.ts';
export { repairJobs } from '../trial/outcome.ts';
export {
  findImmutableFiles,
  findTexts,
  loadCandidate,
  loadCandidateFiles,
  loadCandidates,
  saveCandidate,
} from '../trial/candidate.ts';
export { findSameCandidate, findSiblings, findWithoutSameness, saveSameness } from '../trial/known/same-program.ts';
export { findPlatforms, findReusable } from '../trial/known/reusable.ts';
export { findOutsideBounds } from '../trial/comparable.ts';
export { findMeanCompute, findBaselineCompute } from '../trial/compute-used.ts';
export { findHistory, findNumberedHistory, findTrialOf } from '../trial/history.ts';
export { findBestTrials } from '../trial/prompt-input/best-trials.ts';
export { findCandidateMeans } from '../trial/prompt-input/candidate-means.ts';
export { findCurvePoints } from '../trial/prompt-input/candidate-means.ts';
export { findDiffs } from '../trial/prompt-input/known-candidates.ts';
export { findCopySources, findKnownCandidate } from '../trial/prompt-input/known-candidates.ts';
export { findOpenProposals } from '../trial/prompt-input/best-trials.ts';
export { findFeedback } from '../trial/prompt-input/feedback.ts';
export {
  countSince,
  findAncestors,
  findChildren,
  findNiches,
  findProposals,
  findTriedIdeas,
} from '../trial/prompt-input/search-facts.ts';
export {
  fillKnobs,
  findObserved,
  findUnread,
  readObservations,
  saveKnobs,
  saveObserved,
} from '../trial/observations.ts';
export { findMemory, findMemorySource, saveMemory } from '../trial/prompt-input/memories.ts';
export { hasForeignEdits } from '../trial/proposal.ts';
export {
  findOutcomes,
  findTrialByNumber,
  readEndpointOutageSeconds,
  writeOutcome,
  writeRuling,
} from '../trial/outcome.ts';
export {
  beginProposal,
  changeProposer,
  findCandidatesAlreadyRun,
  findOtherRuns,
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
  revokeReward,
  writeReward,
} from '../trial/reward.ts';
export { findCrashOf, findSecondParent, findUnfixedCrash } from '../trial/proposers/operators.ts';
export { countProposals, findReplayed } from '../trial/proposers/replayed.ts';
export { findSolutions } from '../trial/proposers/solutions.ts';
export { findOutside } from '../trial/outside-space.ts';
export { findTrust } from '../trial/trust.ts';
