import { indexAt, type ShareCurve } from '../../share-curve.ts';

/** Most points that a fit uses: more change the forecast little and cost much. */
const POINTS = 48;
/** Number of points above which they are picked evenly by share, so that a flood of early lines does not dominate. */
const MANY = 20_000;
const LEVELS = 12;
/** Share of the budget that is left out: warm-up of the learning rate. */
const FROM = 0.01;

export interface PowerFit {
  a: number;
  b: number;
  c: number;
  /** Residual standard deviation. */
  sd: number;
}

/**
 * Fits a·u^(−b) + c to a curve up to `share`, with u the share of a point: log-linear least squares for each of twelve
 * levels c below the smallest value, of which the best fit is kept. Null for fewer than five points, and if no fit is
 * possible.
 */
export function fitPowerLaw(curve: ShareCurve, share: number): PowerFit | null {
  const end = indexAt(curve, share);
  const begin = Math.max(0, indexAt(curve, FROM) + 1);
  const n = end - begin + 1;
  if (n < 5) return null;
  const picked = n > MANY ? byShare(curve, begin, end) : byIndex(n, end);
  if (picked.length < 5) return null;
  const xs = picked.map((i) => Math.log(curve.shares[i] ?? 1));
  const ys = picked.map((i) => curve.values[i] ?? 0);
  const low = Math.min(...ys);
  const range = Math.max(...ys) - low;
  if (!(range > 0)) return null;
  let best: PowerFit | null = null;
  for (let level = 0; level < LEVELS; level += 1) {
    const c = low - range * (0.002 + (1.5 * level ** 2) / (LEVELS - 1) ** 2);
    const fit = fitAt(c, xs, ys);
    if (fit !== null && Number.isFinite(fit.sd) && (best === null || fit.sd < best.sd)) best = fit;
  }
  return best;
}

function byIndex(n: number, end: number): number[] {
  const stride = Math.max(1, n / POINTS);
  return Array.from({ length: Math.min(n, POINTS) }, (_, i) => end - Math.floor(i * stride));
}

function byShare(curve: ShareCurve, begin: number, end: number): number[] {
  const [from, to] = [curve.shares[begin] ?? 0, curve.shares[end] ?? 0];
  const at = (i: number): number => Math.max(begin, indexAt(curve, to - (i * (to - from)) / POINTS));
  return [...new Set(Array.from({ length: POINTS }, (_, i) => at(i)))];
}

function fitAt(c: number, xs: readonly number[], ys: readonly number[]): PowerFit | null {
  const n = xs.length;
  const logs = ys.map((y) => Math.log(y - c));
  const meanX = xs.reduce((sum, x) => sum + x, 0) / n;
  const meanY = logs.reduce((sum, y) => sum + y, 0) / n;
  let [xx, xy] = [0, 0];
  xs.forEach((x, i) => {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * ((logs[i] ?? 0) - meanY);
  });
  if (!(xx > 0)) return null;
  const slope = xy / xx;
  const a = Math.exp(meanY - slope * meanX);
  let rss = 0;
  xs.forEach((x, i) => (rss += ((ys[i] ?? 0) - c - a * Math.exp(slope * x)) ** 2));
  return { a, b: -slope, c, sd: Math.sqrt(rss / Math.max(1, n - 3)) };
}

/** The fit at the end of the budget (u = 1), never at the share it was made at. */
export const valueAtEnd = ({ a, c }: PowerFit): number => a + c;
