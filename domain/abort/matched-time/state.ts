import { directionOfCurve, shareCurve, signOf, windowMean } from '../curve.ts';
import type { AbortConfig, FinishedCurve } from '../types.ts';
import { howManySane } from './absurd.ts';

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
  /** Runs whose final is absurdly bad next to the others': not in the sums, nor compared with. They come back as others follow. */
  absurd: Known[];
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
  absurd: [],
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
  const run = { final: signOf(state.config.direction) * final, means, weight };
  // An absurd curve would make the sums of all others absurd.
  if ([run.final, ...means].some((value) => !(Math.abs(value) <= LARGEST))) return state;
  const all = [...state.known, ...state.absurd];
  const place = all.findIndex((other) => other.final > run.final);
  all.splice(place < 0 ? all.length : place, 0, run);
  const sane = howManySane(all.map((one) => one.final));
  const known = all.slice(0, sane);
  return { ...state, known, absurd: all.slice(sane), ...sumsOf(known) };
}

/** The sums of all shares' regressions, around the first of the runs. */
function sumsOf(known: readonly Known[]): Pick<MatchedState, 'origin' | 'y' | 'yy' | 'sums'> {
  const origin = known[0] ?? null;
  const dys = known.map(({ final }) => final - (origin?.final ?? 0));
  const sums = Array.from({ length: GRID + 1 }, (_, g) => {
    const sum = { x: 0, xx: 0, xy: 0 };
    for (const [j, { means }] of known.entries()) {
      const dx = (means[g] ?? 0) - (origin?.means[g] ?? 0);
      sum.x += dx;
      sum.xx += dx * dx;
      sum.xy += dx * (dys[j] ?? 0);
    }
    return sum;
  });
  const total = (of: (dy: number) => number): number => dys.reduce((sum, dy) => sum + of(dy), 0);
  return { origin, y: total((dy) => dy), yy: total((dy) => dy * dy), sums };
}
