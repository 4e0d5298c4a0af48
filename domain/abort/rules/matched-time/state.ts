import { directionOfCurve, shareCurve, signOf, windowMean } from '../../share-curve.ts';
import type { AbortConfig, FinishedCurve } from '../../types.ts';
import { outlierBoundsOf, countPlausible, isWithinBounds, type OutlierBounds } from './outliers.ts';

/** Shares of the budget at which finished runs are kept. */
export const GRID = 40;
/** Share of the budget that a value is averaged over. */
export const WINDOW = 0.1;
/** Largest accepted value: its square, summed over thousands of runs, stays finite. */
const LARGEST = 1e60;

/** A completed run: signed final, signed window means at each fortieth of the budget. */
export interface KnownRun {
  final: number;
  means: number[];
  /** Number of runs like it that the run represents: see `weightedQuantile`. */
  weight: number;
  /** Number of a run of an earlier research, from 0 for the oldest. Absent from the research's own runs. */
  carried?: number;
}

/** Number of the research's own runs from which on each takes the place of a carried run. */
const OWN = 30;

/**
 * Sums of one share's regression over the known runs whose value there is not an outlier. The first of these runs is
 * the origin, to avoid cancellation.
 */
export interface Sums {
  /** Bounds beyond which a value is an outlier. */
  fence: OutlierBounds;
  n: number;
  originX: number;
  originY: number;
  x: number;
  y: number;
  xx: number;
  yy: number;
  xy: number;
}

export interface MatchedState {
  config: AbortConfig;
  /** Best final first. */
  known: KnownRun[];
  /** Runs whose final is an outlier: not compared with, until further runs bring them within bounds. */
  absurd: KnownRun[];
  /** At each fortieth of the budget. */
  sums: Sums[];
  /** Limit of a run's excess over the regression (`residualLimit`); null while there are too few runs. */
  limit: number | null;
}

export const emptyState = (config: AbortConfig): MatchedState => ({
  config,
  known: [],
  absurd: [],
  sums: sumsOf([]),
  limit: null,
});

/** The state after one more finished run. A censored run has no end to learn from. */
export function learnMatched(state: MatchedState, finished: FinishedCurve): MatchedState {
  const { points, budget, final, weight = 1 } = finished;
  if (final === null || !Number.isFinite(final)) return state;
  const curve = shareCurve(points, budget, directionOfCurve(state.config));
  if (curve.shares.length < 2) return state;
  const means = Array.from({ length: GRID + 1 }, (_, g) => windowMean(curve, g / GRID, WINDOW) ?? Infinity);
  const known = [...state.known, ...state.absurd];
  const carried = finished.carried ? { carried: 1 + newestOf(known) } : {};
  const run = { final: signOf(state.config.direction) * final, means, weight, ...carried };
  // One huge value would make all sums useless.
  if ([run.final, ...means].some((value) => !(Math.abs(value) <= LARGEST))) return state;
  const all = finished.carried ? known : withoutOldest(known);
  const index = all.findIndex((other) => other.final > run.final);
  all.splice(index < 0 ? all.length : index, 0, run);
  return { ...state, ...splitOutliers(all) };
}

/** Splits runs (best final first) into those that are compared with and outliers, and computes the sums. */
function splitOutliers(all: readonly KnownRun[]): Pick<MatchedState, 'known' | 'absurd' | 'sums'> {
  const plausible = countPlausible(all.map((run) => run.final));
  const known = all.slice(0, plausible);
  return { known, absurd: all.slice(plausible), sums: sumsOf(known) };
}

/** Number of the newest carried run; −1 if there is none. */
const newestOf = (all: readonly KnownRun[]): number =>
  all.reduce((newest, { carried = -1 }) => Math.max(newest, carried), -1);

/** Drops the oldest carried run for each own run from the 30th on: own curves predict the next runs better. */
function withoutOldest(all: KnownRun[]): KnownRun[] {
  const own = all.filter(({ carried }) => carried === undefined).length;
  if (own + 1 < OWN || own === all.length) return all;
  const oldest = all.reduce((least, { carried = Infinity }) => Math.min(least, carried), Infinity);
  return all.filter(({ carried }) => carried !== oldest);
}

const sumsOf = (known: readonly KnownRun[]): Sums[] => Array.from({ length: GRID + 1 }, (_, g) => sumsAt(known, g));

function sumsAt(known: readonly KnownRun[], g: number): Sums {
  const values = known.map(({ means }) => means[g] ?? 0);
  const fence = outlierBoundsOf(values);
  const first = values.findIndex((value) => isWithinBounds(fence, value));
  const [originX, originY] = [values[first] ?? 0, known[first]?.final ?? 0];
  const sums = { fence, n: 0, originX, originY, x: 0, y: 0, xx: 0, yy: 0, xy: 0 };
  for (const [j, { final }] of known.entries()) {
    const value = values[j] ?? 0;
    if (!isWithinBounds(fence, value)) continue;
    const [dx, dy] = [value - originX, final - originY];
    sums.n += 1;
    sums.x += dx;
    sums.y += dy;
    sums.xx += dx * dx;
    sums.yy += dy * dy;
    sums.xy += dx * dy;
  }
  return sums;
}

/** Returns the test that a run's value at a fortieth of the budget is no outlier among the known runs' values there. */
export function isPlausibleAt(
  { sums }: MatchedState,
  g: number,
): (run: { means: Readonly<Record<number, number>> }) => boolean {
  const fence = sums[g]?.fence;
  return ({ means }) => !fence || isWithinBounds(fence, means[g] ?? 0);
}
