import { trialIdOf } from '../trial/ids.ts';
import type { TrialKind, TrialSpec } from '../trial.ts';

/** Fields of the research that newly admitted trials inherit. */
export interface AdmissionContext {
  researchId: string;
  /** The last trial number that was given out. */
  lastN: number;
  taskHash: string;
  pool: string;
}

/** A trial that waits for its number. */
type Want = Pick<TrialSpec, 'kind' | 'candidateId' | 'ofTrial'>;

const SEARCH: Want = { kind: 'search', candidateId: null, ofTrial: null };

/** A trial with its number, before it has a seed. */
export type Numbered = Omit<TrialSpec, 'seed'>;

/** Numbers the trials of an admission from `lastN` + 1: the wanted trials first, then `searches` new proposals. */
export const numberOn = (
  context: AdmissionContext,
  { wanted, searches }: { wanted: readonly Want[]; searches: number },
): Numbered[] =>
  [...wanted, ...Array.from({ length: Math.max(0, searches) }, () => SEARCH)].map((want, offset) =>
    numbered(context, want, context.lastN + 1 + offset),
  );

const numbered = (
  { researchId, taskHash, pool }: AdmissionContext,
  { kind, candidateId, ofTrial }: Want,
  n: number,
): Numbered => ({
  trialId: trialIdOf(researchId, n),
  n,
  taskHash,
  pool,
  kind,
  // An evaluation is requested with its parent; its candidate is yet to be sampled.
  candidateId: kind === 'evaluation' ? null : candidateId,
  ofTrial,
});

/**
 * Wanted runs without the ablations that exceed `left`, the rest of a budget of trials, if the budget counts ablations.
 * The gate's runs and a person's ideas come first, and start in any case.
 */
export function withoutExcess<Wanted extends { kind: TrialKind }>(
  wanted: readonly Wanted[],
  { counts, left }: { counts: readonly TrialKind[]; left: number | null },
): Wanted[] {
  if (left === null || !counts.includes('ablation')) return [...wanted];
  const others = wanted.filter(({ kind }) => kind !== 'ablation');
  const counted = others.filter(({ kind }) => counts.includes(kind)).length;
  return [...others, ...wanted.filter(({ kind }) => kind === 'ablation').slice(0, Math.max(0, left - counted))];
}

/** Number of admitted trials of each kind, `specs` included. */
export function countedIn(
  admitted: Partial<Record<TrialKind, number>>,
  specs: readonly Pick<TrialSpec, 'kind'>[],
): Partial<Record<TrialKind, number>> {
  const counted = { ...admitted };
  for (const { kind } of specs) counted[kind] = (counted[kind] ?? 0) + 1;
  return counted;
}
