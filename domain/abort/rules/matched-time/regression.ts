import { upperQuantile } from '../../../statistics/student-t.ts';
import { GRID, type MatchedState } from './state.ts';

const NO_SUMS = { n: 0, originX: 0, originY: 0, x: 0, y: 0, xx: 0, yy: 0, xy: 0 };

/** Smallest standard error, in standard deviations of the values. */
const ROUNDING = 1e-9;

/**
 * Least squares at one share of the budget, over the known runs without an outlier there; x is the value, y the final.
 */
export interface Regression {
  n: number;
  meanX: number;
  meanY: number;
  xx: number;
  yy: number;
  xy: number;
}

/** The regression at a fortieth of the budget. Needs at least one known run. */
export function regressionAt({ sums }: MatchedState, g: number): Regression {
  const { n, originX, originY, x, y, xx, yy, xy } = sums[g] ?? NO_SUMS;
  return {
    n,
    meanX: originX + x / n,
    meanY: originY + y / n,
    xx: Math.max(0, xx - (x * x) / n),
    yy: Math.max(0, yy - (y * y) / n),
    xy: xy - (x * y) / n,
  };
}

/** Standard errors above the regression, the standard error of a new run, and its leverage. */
export interface Excess {
  z: number;
  se: number;
  leverage: number;
}

/**
 * Excess of a value over the regression at the final `y`, in standard errors. The early value is regressed on the
 * final, not the final on the early value: the error to bound is that of runs that end well (P(abort | final)), and
 * runs selected by their end have the residuals of this regression. The slope is never negative. Null if better runs
 * look worse at this share by more than a standard error of the slope, and if all values agree.
 */
export function excess({ n, meanX, meanY, xx, yy, xy }: Regression, x: number, y: number): Excess | null {
  // t = r √(n − 2) / √(1 − r²) of the correlation r is below −1.
  if (xy < 0 && xy * xy * (n - 1) > xx * yy) return null;
  const slope = yy > 0 ? Math.max(0, xy / yy) : 0;
  const rest = Math.max(0, xx - 2 * slope * xy + slope * slope * yy);
  const leverage = 1 / n + (yy > 0 ? (y - meanY) ** 2 / yy : 0);
  // A perfect fit leaves only rounding errors, which may be 0.
  const least = yy > 0 ? ROUNDING * Math.sqrt(xx / n) : 0;
  const se = Math.max(least, Math.sqrt((rest / (n - 2)) * (1 + leverage)));
  return se > 0 && Number.isFinite(se) ? { z: (x - meanX - slope * (y - meanY)) / se, se, leverage } : null;
}

/** Error of the one-sided test of {@link isAntiCorrelated}. */
const BY_CHANCE = 0.01;

/**
 * True if completed runs with better values at the end of their curves ended worse, by more than chance (t test of the
 * correlation, one-sided): the direction of the values is mistaken, or the quantity misleads.
 */
export function isAntiCorrelated(state: MatchedState): boolean {
  const { n, xx, yy, xy } = regressionAt(state, GRID);
  if (n < 3 || xy >= 0 || xx === 0 || yy === 0) return false;
  const explained = Math.min(1, (xy * xy) / (xx * yy));
  return explained * (n - 2) > upperQuantile(BY_CHANCE, n - 2) ** 2 * (1 - explained);
}
