/** The id of trial `n` of a research: primary key, child workflow id, and what names the run directory. */
export const trialIdOf = (researchId: string, n: number): string => `${researchId}/${n}`;

/** The id of the workflow of update `k` of a research's policy. */
export const updateIdOf = (researchId: string, k: number): string => `${researchId}/update-${k}`;

/** Whether it is a trial's: that of no other job ends in a number. */
export const isTrialId = (id: string): boolean => parseTrialId(id) !== undefined;

/** The research and number of a trial id; undefined for anything else. A research id may itself hold slashes. */
export function parseTrialId(trialId: string): { researchId: string; n: number } | undefined {
  const match = /^(.+)\/(\d+)$/s.exec(trialId);
  return match?.[1] && match[2] ? { researchId: match[1], n: Number(match[2]) } : undefined;
}
