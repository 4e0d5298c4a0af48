import { trialIdOf } from '../trial/ids.ts';
import type { TrialKind, TrialSpec } from '../trial.ts';

/** Fields of the research that trials admitted now take over. */
export interface AdmissionContext {
  researchId: string;
  /** The number given last. */
  lastN: number;
  taskHash: string;
  pool: string;
}

/** A run that waits for its number. */
type Want = Pick<TrialSpec, 'kind' | 'candidateId' | 'ofTrial'>;

const SEARCH: Want = { kind: 'search', candidateId: null, ofTrial: null };

/** A trial that has its number, and no seed yet. */
export type Numbered = Omit<TrialSpec, 'seed'>;

/** The trials of an admission, numbered on: the runs that are wanted, then so many new proposals. */
export const numberOn = (
  next: AdmissionContext,
  { wants, searches }: { wants: readonly Want[]; searches: number },
): Numbered[] =>
  [...wants, ...Array.from({ length: Math.max(0, searches) }, () => SEARCH)].map((want, offset) =>
    numbered(next, want, next.lastN + 1 + offset),
  );

const numbered = (
  { researchId, taskHash, pool }: AdmissionContext,
  { kind, candidateId, ofTrial }: Want,
  n: number,
): Numbered => ({
  ...{ trialId: trialIdOf(researchId, n), n },
  ...{ taskHash, pool, kind, candidateId, ofTrial },
});

/** How many trials of each kind were admitted, with these. */
export function countedIn(
  admitted: Partial<Record<TrialKind, number>>,
  specs: readonly Pick<TrialSpec, 'kind'>[],
): Partial<Record<TrialKind, number>> {
  const counted = { ...admitted };
  for (const { kind } of specs) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}
