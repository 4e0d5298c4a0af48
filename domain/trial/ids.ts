/** The id of trial `n` of a research: its primary key, child workflow id and the name of its run directory. */
export const trialIdOf = (researchId: string, n: number): string => `${researchId}/${n}`;

/** The id of the workflow of update `k` of a research's policy. */
export const updateIdOf = (researchId: string, k: number): string => `${researchId}/update-${k}`;

/** True for the id of a trial. No other job's id ends in a number. */
export const isTrialId = (id: string): boolean => parseTrialId(id) !== undefined;

/** The research and number of a trial id; undefined for any other text. A research id may contain slashes. */
export function parseTrialId(trialId: string): { researchId: string; n: number } | undefined {
  const match = /^(.+)\/(\d+)$/s.exec(trialId);
  return match?.[1] && match[2] ? { researchId: match[1], n: Number(match[2]) } : undefined;
}
