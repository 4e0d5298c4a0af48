import { permutationP } from '../../statistics/permutation.ts';
import { addValue, EMPTY_SERIES } from '../../statistics/series.ts';
import { upperTail } from '../../statistics/student-t.ts';
import type { Race } from '../types.ts';

/** A look at a race: runs of each side, share of the race's level, and the t below which the race is lost. */
export interface RaceStage {
  runs: number;
  share: number;
  futility: number;
}
export const RACE_STAGES: readonly RaceStage[] = [
  { runs: 6, share: 0.3, futility: 0.7 },
  { runs: 9, share: 0.3, futility: 1.2 },
  { runs: 13, share: 0.4, futility: -99 },
];

/** Fresh runs of a heat, and the least t against the incumbent's old runs that leads to the race. */
export const HEAT = { runs: 4, t: 1 };

export interface Comparison {
  /** Difference of the means less minDelta, over its standard error. */
  t: number;
  difference: number;
  /** Exact one-sided p value; 1 if it is not worth computing. */
  p: number;
}

/** Compares a candidate's runs with runs of the incumbent that were mixed among them. */
function compare(race: Race, minDelta: number): Comparison {
  const shifted = race.values.map((value) => value - minDelta);
  const { t, difference } = tOf(shifted, race.controls);
  // The t test only saves the exact test in clear cases; the exact test decides.
  const isNear = upperTail(t, shifted.length + race.controls.length - 2) < 20 * race.level;
  return { t, difference: difference + minDelta, p: isNear ? permutationP(shifted, race.controls) : 1 };
}

/** Pooled-variance t of two samples, and the difference of their means; t is ±99 if nothing varies. */
export function tOf(a: readonly number[], b: readonly number[]): { t: number; difference: number } {
  const [x, y] = [a.reduce(addValue, EMPTY_SERIES), b.reduce(addValue, EMPTY_SERIES)];
  const difference = x.mean - y.mean;
  const df = x.n + y.n - 2;
  const variance = df > 0 ? (x.m2 + y.m2) / df : 0;
  const error = Math.sqrt(variance * (1 / x.n + 1 / y.n));
  const t = error > 0 ? difference / error : Math.sign(difference) * 99;
  return { t: Math.min(Math.max(t, -99), 99), difference };
}

/** Evaluates a race at its current look; null while runs are missing. */
export function evaluateRace(
  race: Race,
  minDelta: number,
): { end: 'won' | 'lost' | 'on'; comparison: Comparison; level: number } | null {
  const look = RACE_STAGES[race.look];
  if (!look || race.values.length < look.runs || race.controls.length < look.runs) return null;
  const comparison = compare(race, minDelta);
  const level = race.level * look.share;
  if (comparison.p <= level && comparison.difference > minDelta) return { end: 'won', comparison, level };
  const last = race.look === RACE_STAGES.length - 1;
  return { end: last || comparison.t < look.futility ? 'lost' : 'on', comparison, level };
}
