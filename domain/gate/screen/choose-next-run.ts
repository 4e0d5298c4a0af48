import { expectedGain } from '../../statistics/normal.ts';

/** Least value of a run, in sd of one run, so that a task without gains does not measure for ever. */
const LEAST_WORTH = 0.005;
/** Most further runs that are considered. */
const HORIZON = 6;

export interface Question {
  /** Belief about candidate − lead, in sd of one run. */
  mean: number;
  sd: number;
  /** Variance of the candidate's mean and of the lead's, in sd² of one run. */
  ofCandidate: number;
  ofLead: number;
  /** Value of a run for the search, in sd of one run. */
  worth: number;
}

/** Next step for a candidate: move the lead to it, drop it, or run it or the lead once more. */
export type NextRunChoice = 'accept' | 'reject' | 'candidate' | 'lead';

/**
 * Optimal stopping with a price: another run is bought if the expected gain from a better decision exceeds that of a
 * new search trial for the same run. The run goes to the side with the larger variance.
 */
export function chooseNextRun(question: Question): NextRunChoice {
  const { mean, sd, ofCandidate, ofLead } = question;
  const now = Math.max(mean, 0);
  const error = ofCandidate + ofLead;
  const variance = sd * sd;
  // Precision of the belief without these runs; a prior with several peaks can have none.
  const before = Math.max(1 / variance - 1 / error, 0.01);
  const price = Math.max(question.worth, LEAST_WORTH);
  let best = 0;
  for (let runs = 1; runs <= HORIZON; runs += 1) {
    const after =
      ofCandidate >= ofLead ? varianceAfter(ofCandidate, runs) + ofLead : ofCandidate + varianceAfter(ofLead, runs);
    const remaining = 1 / (before + 1 / after);
    const moved = Math.sqrt(Math.max(0, Math.min(variance, 1 / (before + 1 / error)) - remaining));
    best = Math.max(best, expectedGain(mean, moved) - price * runs - now);
  }
  if (best > 0) return ofCandidate >= ofLead ? 'candidate' : 'lead';
  return mean > 0 ? 'accept' : 'reject';
}

/** Variance of a mean after more runs of variance 1. */
function varianceAfter(variance: number, runs: number): number {
  return 1 / (1 / variance + runs);
}
