import { plural } from '../../text/plural.ts';
import { findSubject, neverFails } from '../subject.ts';
import type { GateState, Race } from '../types.ts';

const NONE = { candidate: 0, incumbent: 0 };

/** Counts a failed run of either side of a race. */
export function countFailedRun(state: GateState, race: Race, candidateId: string): void {
  const isCandidate = race.candidateId === candidateId;
  if (!isCandidate && state.incumbentId !== candidateId) return;
  race.failures += 1;
  const failed = { ...NONE, ...race.failed };
  failed[isCandidate ? 'candidate' : 'incumbent'] += 1;
  race.failed = failed;
}

/**
 * The race with its failed runs as values: each is as bad as the worst run of the race, or of the incumbent before it.
 * Otherwise a candidate that fails when it is unlucky would be judged by its lucky runs, and an incumbent whose runs
 * all fail would have the values of its challenger. If the unmodified version fails, too, failures say nothing about
 * the candidate: they are left out, and these runs are requested again.
 */
export function withFailedRuns(state: GateState, race: Race): Race {
  const { candidate, incumbent } = race.failed ?? NONE;
  if (race.heat || !neverFails(state) || candidate + incumbent === 0) return race;
  const older = findSubject(state, state.incumbentId)?.values ?? [];
  const values = [...race.values, ...race.controls, ...older];
  const worst = values.length > 0 ? Math.min(...values) : 0;
  const times = (n: number): number[] => Array.from({ length: n }, () => worst);
  return { ...race, values: [...race.values, ...times(candidate)], controls: [...race.controls, ...times(incumbent)] };
}

/**
 * Failed runs that count towards giving the race up. If failed runs count as values, those of the incumbent do not:
 * they are in favour of the candidate.
 */
export function failuresThatEnd(state: GateState, race: Race): number {
  return neverFails(state) ? race.failures - (race.failed?.incumbent ?? 0) : race.failures;
}

/** States how many runs of each side failed; `failedControls`: those of the incumbent among all. */
export function describeFailedSides(failures: number, failedControls: number): string {
  const sides = [
    [failures - failedControls, 'of it'],
    [failedControls, 'of the best'],
  ] as const;
  const parts = sides.filter(([n]) => n > 0).map(([n, side]) => `${plural(n, 'fresh run')} ${side}`);
  return `${parts.join(' and ')} gave no value`;
}
