/** Kind of the candidate with which a trial is compared. */
export type Against = 'parent' | 'baseline' | 'best';

const NAMES: Record<Against, string> = {
  parent: 'its parent',
  baseline: 'the unmodified workspace',
  best: 'the best so far',
};

/** Describes the candidate with which a trial is compared; another trial by its id, `other`. */
export const describeAgainst = (against: Against, other?: string): string => other ?? NAMES[against];

/** States that a trial has no candidate, with the reason. */
export const lacksCandidate = (trial: { id: string; failure: string | null; failureMessage: string | null }): string =>
  `${trial.id} has no candidate${trial.failure ? ` (${trial.failure}: ${trial.failureMessage ?? ''})` : ' yet'}`;

/** The reason why a comparison shows no difference. */
export function nothingChanged(same: {
  trialId: string;
  candidateId: string;
  /** Id of the candidate with which it is compared. */
  from: string;
  baselineCandidate: string;
  against: string;
}): string {
  const { trialId, candidateId, from, baselineCandidate, against } = same;
  if (candidateId === baselineCandidate) return `${trialId} runs the unmodified workspace, so it changed nothing`;
  if (from === candidateId && against === NAMES.parent) return `${trialId} runs a known candidate again, unchanged`;
  return `${trialId} is the same as ${against}`;
}
