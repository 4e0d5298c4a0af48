import { lastShare, directionOfCurve, shareCurve, signOf } from '../share-curve.ts';
import { valueAtEnd, fitPowerLaw } from './power-law/fit.ts';
import { independentRatios, runSequentialTest } from './power-law/wald.ts';
import { plainDecision, whyTooEarly } from './plain-decision.ts';
import { NO_SETTINGS } from '../../method/axis.ts';
import { percent, formatAbortNumber } from '../../text/format.ts';
import { type AbortConfig, defineAbort } from '../types.ts';

/** Published values: one test every 30 s of 300 s, β = .05, one threshold (1 − β)/β for both ends. */
const LOOK = 0.1;
const BETA = 0.05;
const THRESHOLD = Math.log((1 - BETA) / BETA);

export interface SprtState {
  config: AbortConfig;
  /** Signed finals that were incumbents, in order. */
  incumbents: number[];
}

/**
 * The published rule, kept as a comparison: a power law through the points so far, extrapolated to the end, and a
 * sequential test of "one σ worse than the incumbent" against "as good". σ is the spread of past improvements, and
 * every look counts as independent. Its defects: looks are refits of the same points (correlated); σ is not the
 * forecast's error; a power law misses a late drop of the learning rate. If fewer than two improvements are known, σ is
 * the residual spread of the fit (the publication leaves that open).
 */
export const powerLawSprt = defineAbort({
  settings: NO_SETTINGS,
  stops: true,
  needsEnded: 1,
  canTighten: false,
  takesCurveForMetric: true,
  carries: false,
  init: (config): SprtState => ({ config, incumbents: [] }),
  learn: (state, { final }) => {
    if (final === null || !Number.isFinite(final)) return state;
    const y = signOf(state.config.direction) * final;
    const last = state.incumbents.at(-1) ?? Infinity;
    return y < last ? { ...state, incumbents: [...state.incumbents, y] } : state;
  },
  decide: (state, { points, budget, incumbent }) => {
    const { config } = state;
    const share = lastShare(points, budget);
    const early = whyTooEarly(share, config.burnIn);
    if (early !== null || share === null)
      return { state, decision: plainDecision(false, share, early ?? 'no point yet') };
    if (incumbent === null) return { state, decision: plainDecision(false, share, 'there is no incumbent yet') };
    const sign = signOf(config.direction);
    const curve = shareCurve(points, budget, directionOfCurve(config));
    const spread = spreadOf(state.incumbents);
    const looks: number[] = [];
    let forecast: number | null = null;
    // A run past its budget, or one that prints a step beyond it, is judged up to the budget's end.
    for (let k = 1; k * LOOK <= Math.min(1, share) + 1e-9; k += 1) {
      const fit = fitPowerLaw(curve, k * LOOK);
      if (fit === null) continue;
      forecast = valueAtEnd(fit);
      const sigma = spread ?? fit.sd;
      if (sigma > 0) looks.push((forecast - sign * incumbent) / sigma);
    }
    if (forecast === null) return { state, decision: plainDecision(false, share, 'too few points for a power law') };
    const { verdict, sum } = runSequentialTest(independentRatios(looks, 1), { abort: THRESHOLD, keep: -THRESHOLD });
    const reason =
      `power law ends at ${formatAbortNumber(sign * forecast)} against ${formatAbortNumber(incumbent)}; ` +
      `log likelihood ratio ${formatAbortNumber(sum)} after ${looks.length} looks at ${percent(share)}, ` +
      `threshold ±${formatAbortNumber(THRESHOLD)}`;
    return { state, decision: { ...plainDecision(verdict === 'abort', share, reason), forecast: sign * forecast } };
  },
});

/** Standard deviation of the improvements so far; null for fewer than two, or if it is 0. */
export function spreadOf(incumbents: readonly number[]): number | null {
  const gains = incumbents.slice(1).map((y, i) => (incumbents[i] ?? y) - y);
  if (gains.length < 2) return null;
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const spread = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1));
  return spread > 0 ? spread : null;
}
