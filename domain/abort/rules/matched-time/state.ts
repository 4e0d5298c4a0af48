import { directionOfCurve, shareCurve, signOf, windowMean } from '../../share-curve.ts';
import type { AbortConfig, FinishedCurve } from '../../types.ts';
import { outlierBoundsOf, countPlausible, isWithinBounds, type OutlierBounds } from './outliers.ts';

/** Shares of the budget at which finished runs are kept. */
export const GRID = 40;
/** Share of the budget that a value is averaged over. */
export const WINDOW = 0.1;
/** Its square, summed over thousands of runs, stays finite. */
const LARGEST = 1e60;

/** A completed run: signed final, signed window means at each fortieth of the budget. */
export interface KnownRun {
  final: number;
  means: number[];
  /** Runs like it that it stands for: see `weightedQuantile`. */
  weight: number;
  /** Of a run of an earlier research: its number, the oldest has 0. */
  carried?: number;
}

/** Runs of its own from which on each takes the place of a carried one. */
const OWN = 30;

/**
 * Sums of one share's regression over the known runs whose value there is not absurd, taken around the first of these so that
 * nothing cancels.
 */
export interface Sums {
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
  /** Runs whose final is absurdly bad next to the others': not in the sums, nor compared with. They come back as others follow. */
  absurd: KnownRun[];
  /** At each fortieth of the budget. */
  sums: Sums[];
  /** What a run's excess over the regression must exceed (`residualLimit`); null while there are too few runs. */
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
  // An absurd curve would make the sums of all others absurd.
  if ([run.final, ...means].some((value) => !(Math.abs(value) <= LARGEST))) return state;
  const all = finished.carried ? known : withoutOldest(known);
  const place = all.findIndex((other) => other.final > run.final);
  all.splice(place < 0 ? all.length : place, 0, run);
  return { ...state, ...compared(all) };
}

/** The state with these runs in place of its own, best final first. */
function compared(all: readonly KnownRun[]): Pick<MatchedState, 'known' | 'absurd' | 'sums'> {
  const sane = countPlausible(all.map((one) => one.final));
  const known = all.slice(0, sane);
  return { known, absurd: all.slice(sane), sums: sumsOf(known) };
}

/** Number of the newest carried run; −1 without one. */
const newestOf = (all: readonly KnownRun[]): number =>
  all.reduce((newest, { carried = -1 }) => Math.max(newest, carried), -1);

/** A carried run makes room for each one of its own from the 30th on: the research's own curves say more of what is to come. */
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

/** Whether a run's value at a fortieth of the budget is not absurd next to what the known ones showed there. */
export function isPlausibleAt(
  { sums }: MatchedState,
  g: number,
): (run: { means: Readonly<Record<number, number>> }) => boolean {
  const fence = sums[g]?.fence;
  return ({ means }) => !fence || isWithinBounds(fence, means[g] ?? 0);
}
