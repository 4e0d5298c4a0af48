import { directionOfCurve, shareCurve, signOf, windowMean } from '../curve.ts';
import type { AbortConfig, FinishedCurve } from '../types.ts';

/** Shares of the budget at which finished runs are kept. */
export const GRID = 40;
/** Share of the budget that a value is averaged over. */
export const WINDOW = 0.1;
/** Its square, summed over thousands of runs, stays finite. */
const LARGEST = 1e60;

/** A completed run: signed final, signed window means at each fortieth of the budget. */
export interface Known {
  final: number;
  means: number[];
  /** Runs like it that it stands for: see `limitOf`. */
  weight: number;
}

/** Sums of one share's regression over all known runs, taken around the first run so that nothing cancels. */
export interface Sums {
  x: number;
  xx: number;
  xy: number;
}

export interface MatchedState {
  config: AbortConfig;
  /** Best final first. */
  known: Known[];
  /** The run that sums are taken around. */
  origin: Known | null;
  y: number;
  yy: number;
  sums: Sums[];
  /** What a run's excess over the regression must exceed (`residualLimit`); null while there are too few runs. */
  limit: number | null;
}

export const emptyState = (config: AbortConfig): MatchedState => ({
  config,
  known: [],
  origin: null,
  y: 0,
  yy: 0,
  sums: Array.from({ length: GRID + 1 }, () => ({ x: 0, xx: 0, xy: 0 })),
  limit: null,
});

/** The state after one more finished run. A censored run has no end to learn from. */
export function learnMatched(state: MatchedState, { points, budget, final, weight = 1 }: FinishedCurve): MatchedState {
  if (final === null || !Number.isFinite(final)) return state;
  const curve = shareCurve(points, budget, directionOfCurve(state.config));
  if (curve.shares.length < 2) return state;
  const means = Array.from({ length: GRID + 1 }, (_, g) => windowMean(curve, g / GRID, WINDOW) ?? Infinity);
  // An absurd curve would make the sums of all others absurd.
  if (means.some((mean) => !(Math.abs(mean) <= LARGEST))) return state;
  const run = { final: signOf(state.config.direction) * final, means, weight };
  const origin = state.origin ?? run;
  const dy = run.final - origin.final;
  const sums = state.sums.map((sum, g) => {
    const dx = (means[g] ?? 0) - (origin.means[g] ?? 0);
    return { x: sum.x + dx, xx: sum.xx + dx * dx, xy: sum.xy + dx * dy };
  });
  const place = state.known.findIndex((other) => other.final > run.final);
  const known = place < 0 ? [...state.known, run] : state.known.toSpliced(place, 0, run);
  return { ...state, known, origin, y: state.y + dy, yy: state.yy + dy * dy, sums };
}
