import { indexAt, lastShare, directionOfCurve, shareCurve, signOf } from '../share-curve.ts';
import { plainDecision, whyTooEarly } from './plain-decision.ts';
import { NO_SETTINGS } from '../../method/axis.ts';
import { percent, formatAbortNumber } from '../../text/format.ts';
import { type AbortConfig, defineAbort } from '../types.ts';

/** Completed runs below which the rule says nothing. */
const FEWEST = 5;
const GRID = 40;
/** Scale of sums: large, so that the sum over a curve stays finite; a power of two, so that averages stay exact. */
const SCALE = 2 ** 40;

export interface MedianState {
  config: AbortConfig;
  /** For each completed run: the running average of its signed values up to each fortieth of the budget. */
  averages: number[][];
}

/**
 * The median stopping rule. Each completed run has an average value up to the same share. A run is stopped if its best
 * value so far is strictly worse than the median of these averages. Source: Golovin et al., Google Vizier (KDD 2017),
 * §3.2.
 */
export const median = defineAbort({
  settings: NO_SETTINGS,
  stops: true,
  needsEnded: FEWEST,
  canTighten: false,
  takesCurveForMetric: true,
  carries: false,
  init: (config): MedianState => ({ config, averages: [] }),
  learn: (state, { points, budget, final }) => {
    if (final === null) return state;
    const curve = shareCurve(points, budget, directionOfCurve(state.config));
    if (curve.shares.length === 0) return state;
    const sums: number[] = [];
    curve.values.forEach((value, i) => sums.push((sums[i - 1] ?? 0) + value / SCALE));
    const averages = Array.from({ length: GRID + 1 }, (_, g) => {
      const i = Math.max(0, indexAt(curve, g / GRID + 1e-9));
      return finite(((sums[i] ?? 0) / (i + 1)) * SCALE);
    });
    return { ...state, averages: [...state.averages, averages] };
  },
  decide: (state, { points, budget }) => {
    const { config, averages } = state;
    const share = lastShare(points, budget);
    const early = whyTooEarly(share, config.burnIn);
    if (early !== null || share === null)
      return { state, decision: plainDecision(false, share, early ?? 'no point yet') };
    if (averages.length < FEWEST)
      return {
        state,
        decision: plainDecision(false, share, `${averages.length} completed runs; the rule needs ${FEWEST}`),
      };
    const { values } = shareCurve(points, budget, directionOfCurve(config));
    const best = values.reduce((low, value) => Math.min(low, value), Infinity);
    const g = Math.min(GRID, Math.floor(share * GRID + 1e-9));
    const sorted = averages.map((row) => row[g] ?? Infinity).sort((a, b) => a - b);
    const half = sorted.length >> 1;
    const middle =
      sorted.length % 2 === 1 ? (sorted[half] ?? 0) : (sorted[half - 1] ?? 0) / 2 + (sorted[half] ?? 0) / 2;
    const sign = signOf(directionOfCurve(config));
    const abort = values.length > 0 && best > middle;
    const reason =
      `best value ${formatAbortNumber(sign * best)} at ${percent(share)} is ${abort ? 'worse' : 'no worse'} than ` +
      `the median running average ${formatAbortNumber(sign * middle)} of ${averages.length} completed runs`;
    return { state, decision: plainDecision(abort, share, reason) };
  },
});

/** Clamps an average: the average of the largest numbers may round to infinity, which JSON does not have. */
const finite = (value: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
