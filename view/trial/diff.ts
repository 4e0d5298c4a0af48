/** The candidate that a trial is compared with. */
export type Against = 'parent' | 'baseline' | 'best';

const WORDS: Record<Against, string> = {
  parent: 'its parent',
  baseline: 'the unmodified workspace',
  best: 'the best so far',
};

/** The candidate that a trial is compared with, in words; another trial goes by its id. */
export const describeAgainst = (against: Against, other?: string): string => other ?? WORDS[against];

/** That a trial has no candidate, and why. */
export const lacksCandidate = (trial: { id: string; failure: string | null; failureMessage: string | null }): string =>
  `${trial.id} has no candidate${trial.failure ? ` (${trial.failure}: ${trial.failureMessage ?? ''})` : ' yet'}`;

/** Why a comparison shows no difference. */
export function nothingChanged(same: {
  trialId: string;
  candidateId: string;
  /** The candidate that it is compared with. */
  from: string;
  baselineCandidate: string;
  against: string;
}): string {
  const { trialId, candidateId, from, baselineCandidate, against } = same;
  if (candidateId === baselineCandidate)
    return `${trialId} runs the unmodified workspace: there is nothing that it changed`;
  const isItself = from === candidateId && against === WORDS.parent;
  return `${trialId} is the same as ${isItself ? 'its candidate: it runs a known one again' : against}`;
}
