import { trialIdOf } from './ids.ts';
import { seedOf } from './seed.ts';
import type { TrialKind, TrialSpec } from './trial.ts';

/** What trials that are admitted now are of. */
export interface Next {
  researchId: string;
  /** The number given last. */
  lastN: number;
  taskHash: string;
  pool: string;
}

/** A run that waits for its number. */
type Want = Pick<TrialSpec, 'kind' | 'candidateId' | 'ofTrial'>;

const SEARCH: Want = { kind: 'search', candidateId: null, ofTrial: null };

/** The trials of an admission, numbered on: the runs that are wanted, then so many new proposals. */
export const specsOf = (next: Next, { wants, searches }: { wants: readonly Want[]; searches: number }): TrialSpec[] =>
  [...wants, ...Array.from({ length: Math.max(0, searches) }, () => SEARCH)].map((want, offset) =>
    specOf(next, want, next.lastN + 1 + offset),
  );

function specOf({ researchId, taskHash, pool }: Next, { kind, candidateId, ofTrial }: Want, n: number): TrialSpec {
  const trialId = trialIdOf(researchId, n);
  return { trialId, n, seed: seedOf(trialId), taskHash, pool, kind, candidateId, ofTrial };
}

/** How many trials of each kind were admitted, with these. */
export function countedIn(
  admitted: Partial<Record<TrialKind, number>>,
  specs: readonly TrialSpec[],
): Partial<Record<TrialKind, number>> {
  const counted = { ...admitted };
  for (const { kind } of specs) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}
