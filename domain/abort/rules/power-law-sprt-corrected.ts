import { lastShare, directionOfCurve, shareCurve, signOf } from '../share-curve.ts';
import { intervalOf } from '../interval.ts';
import { valueAtEnd, fitPowerLaw } from './power-law/fit.ts';
import { chainOf } from './power-law/chain.ts';
import { correlatedRatios, waldThresholds, runSequentialTest } from './power-law/wald.ts';
import { plainDecision, whyTooEarly } from './plain-decision.ts';
import { NO_SETTINGS } from '../../method/axis.ts';
import { percent, formatAbortNumber } from '../../text/format.ts';
import { type AbortConfig, defineAbort } from '../types.ts';

const LOOKS = 9;
/** Accepted share of bad runs that are kept; the rule is used for its small α. */
const BETA = 0.2;
/** Completed runs that are needed to estimate errors and their correlation. */
const FEWEST = 12;

export interface CorrectedState {
  config: AbortConfig;
  /** For each completed run: forecast less final (signed) at each tenth of the budget, null if there was no fit. */
  errors: (number | null)[][];
  /** Rows of `errors` without outliers. */
  sane: readonly (readonly (number | null)[])[];
}

/** Quantiles of the errors between which their spread is taken. */
const LOW = 0.1;
const HIGH = 0.9;
/** Spreads beyond these quantiles from which an error is an outlier: 27 σ of a normal distribution. */
const SPREADS = 10;

/**
 * The completed runs without an outlier among their forecast errors (another unit, a failed fit): one such run would
 * dominate the variance. A look excludes no run if half of the runs have no forecast there, or if all errors agree.
 */
export function withoutOutlierRows(
  rows: readonly (readonly (number | null)[])[],
): readonly (readonly (number | null)[])[] {
  const width = rows[0]?.length ?? 0;
  const bounds = Array.from({ length: width }, (_, k) => {
    const errors = Float64Array.from(rows.flatMap((row) => row[k] ?? [])).sort();
    const at = (share: number): number => errors[Math.floor(share * (errors.length - 1))] ?? Number.NaN;
    const [low, high] = [at(LOW), at(HIGH)];
    const reach = SPREADS * (high - low);
    return 2 * errors.length > rows.length && reach > 0
      ? { from: low - reach, to: high + reach }
      : { from: -Infinity, to: Infinity };
  });
  const isSane = (error: number | null, k: number): boolean => {
    const range = bounds[k];
    return error === null || !range || (error >= range.from && error <= range.to);
  };
  const sane = rows.filter((row) => row.every(isSane));
  return sane.length === rows.length ? rows : sane;
}

/**
 * The power-law rule with corrected statistics. Bias, variance and correlation of the forecasts come from completed
 * runs (each look is judged given the one before); thresholds are Wald's for α ≠ β. A verdict to keep ends the test at
 * that look; the next look starts it again, with the runs learned since. The effect to detect is the spread of the
 * first forecasts. The forecast itself stays as poor as in `power-law-sprt`.
 */
export const powerLawSprtCorrected = defineAbort({
  settings: NO_SETTINGS,
  stops: true,
  needsEnded: FEWEST,
  canTighten: true,
  takesCurveForMetric: true,
  carries: false,
  init: (config): CorrectedState => ({ config, errors: [], sane: [] }),
  learn: (state, { points, budget, final }) => {
    if (final === null || !Number.isFinite(final)) return state;
    const curve = shareCurve(points, budget, directionOfCurve(state.config));
    const end = signOf(state.config.direction) * final;
    const errors = Array.from({ length: LOOKS }, (_, k) => {
      const fit = fitPowerLaw(curve, (k + 1) / (LOOKS + 1));
      return fit === null ? null : valueAtEnd(fit) - end;
    });
    const all = [...state.errors, errors];
    return { ...state, errors: all, sane: withoutOutlierRows(all) };
  },
  decide: (state, { points, budget, incumbent, strictness = 1 }) => {
    const { config, sane } = state;
    const share = lastShare(points, budget);
    const early = whyTooEarly(share, config.burnIn);
    if (early !== null || share === null)
      return { state, decision: plainDecision(false, share, early ?? 'no point yet') };
    if (incumbent === null) return { state, decision: plainDecision(false, share, 'there is no incumbent yet') };
    if (sane.length < FEWEST)
      return {
        state,
        decision: plainDecision(false, share, `${sane.length} completed runs; the rule needs ${FEWEST}`),
      };
    const sign = signOf(config.direction);
    const curve = shareCurve(points, budget, directionOfCurve(config));
    const now = Math.min(LOOKS, Math.floor(share * (LOOKS + 1) + 1e-9));
    const looks: { k: number; forecast: number }[] = [];
    for (let k = 0; k < now; k += 1) {
      const fit = fitPowerLaw(curve, (k + 1) / (LOOKS + 1));
      if (fit !== null) looks.push({ k, forecast: valueAtEnd(fit) });
    }
    const chain = chainOf(
      sane,
      looks.map(({ k }) => k),
    );
    const last = looks.at(-1);
    if (chain === null || !last)
      return { state, decision: plainDecision(false, share, 'too few forecasts to compare with') };
    const deviations = looks.map(({ forecast }, i) => forecast - (chain.bias[i] ?? 0) - sign * incumbent);
    const limits = waldThresholds(config.errorTarget / strictness, BETA);
    const { verdict, sum } = runSequentialTest(correlatedRatios(deviations, chain.links, chain.effect), limits);
    const forecast = sign * (last.forecast - (chain.bias.at(-1) ?? 0));
    const half = 1.96 * (chain.spread.at(-1) ?? 0);
    const reason =
      `corrected power law ends at ${formatAbortNumber(forecast)} ± ${formatAbortNumber(half)} ` +
      `against ${formatAbortNumber(incumbent)}; log likelihood ratio ${formatAbortNumber(sum)} at ${percent(share)}, ` +
      `thresholds ${formatAbortNumber(limits.keep)} and ${formatAbortNumber(limits.abort)}`;
    const interval = intervalOf(forecast - half, forecast + half);
    return { state, decision: { ...plainDecision(verdict === 'abort', share, reason), forecast, interval } };
  },
});
