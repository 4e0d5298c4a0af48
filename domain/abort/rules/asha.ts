import { z } from 'zod';
import { plural } from '../../text/plural.ts';
import {
  directionOfCurve,
  indexAt,
  hasTimesBetween,
  lastShare,
  shareCurve,
  signOf,
  windowMean,
  type ShareCurve,
} from '../share-curve.ts';
import { plainDecision, whyTooEarly } from './plain-decision.ts';
import { percent, formatAbortNumber } from '../../text/format.ts';
import { type AbortConfig, type AbortDecision, type AbortInput, defineAbort, type FinishedCurve } from '../types.ts';

const settings = z.strictObject({
  eta: z
    .number()
    .int()
    .min(2)
    .max(10)
    .default(3)
    .describe('reduction factor: at 1/eta² and at 1/eta of the budget, the best 1/eta of the runs go on'),
});

/** Share of the budget that a value is averaged over. */
const WINDOW = 0.03;

/**
 * A run at a rung: its signed value there, and the share of its first look past the rung. Entries without a name are
 * all different runs.
 */
interface Reached {
  run?: string | undefined;
  value: number;
  share: number;
}

export interface AshaState {
  config: AbortConfig;
  /** Reduction factor. */
  eta: number;
  /** For each rung: all runs that have reached it, aborted ones included. */
  rungs: Reached[][];
}

/**
 * The stopping variant of asynchronous successive halving. At each rung a run is compared with all that reached the
 * rung before, finished or not. It is stopped unless it is in the best 1/η. The rule does not wait for others, so the
 * first η − 1 runs of a rung go on. A run's value is that of its curve at the rung, whenever the look comes; only the
 * first look past the rung judges the run. Source: Li et al., A System for Massively Parallel Hyperparameter Tuning
 * (MLSys 2020), Alg. 2, in the stopping form of Klein et al. (2020).
 */
export const asha = defineAbort({
  settings,
  stops: true,
  needsEnded: 0,
  canTighten: false,
  takesCurveForMetric: true,
  carries: false,
  init: (config, { eta }): AshaState => ({ config, eta, rungs: rungsOf(eta).map(() => []) }),
  learn: learnRungs,
  // A run is recorded when it passes a rung, so that runs still under way count.
  decide: (old, { points, budget, run, lastLookShare }) => {
    const { config } = old;
    const share = lastShare(points, budget);
    const early = whyTooEarly(share, config.burnIn);
    if (early !== null || share === null)
      return { state: old, decision: plainDecision(false, share, early ?? 'no point yet') };
    const curve = shareCurve(points, budget, directionOfCurve(config));
    let state = old;
    let last = plainDecision(false, share, `no rung at ${percent(share)}`);
    for (const { rung, at, value } of reachedBy(old, curve, { points, budget, share })) {
      const recorded = state.rungs[rung]?.find((reached) => run !== undefined && reached.run === run);
      const isFirst =
        wasBelow(curve, at, lastLookShare ?? share - config.cadence) &&
        (recorded === undefined || recorded.share === share);
      // A run without a name is recorded at its first look only: later looks could not recognise its entry.
      if (recorded === undefined && (isFirst || run !== undefined)) state = record(state, rung, { run, value, share });
      if (isFirst) last = judge(state, { rung, value, share });
      // A run that the rule stops reaches no later rung.
      if (last.abort) break;
    }
    return { state, decision: last };
  },
});

const rungsOf = (eta: number): readonly number[] => [1 / eta ** 2, 1 / eta];

function judge(
  state: AshaState,
  { rung, value, share }: { rung: number; value: number; share: number },
): AbortDecision {
  const values = (state.rungs[rung] ?? []).map((reached) => reached.value).sort((a, b) => a - b);
  const kept = Math.floor(values.length / state.eta);
  const limit = values[Math.max(0, kept - 1)] ?? value;
  const abort = kept > 0 && value > limit;
  const sign = signOf(directionOfCurve(state.config));
  const reason =
    kept === 0
      ? `the rung at ${percent(share)} has ${plural(values.length, 'run')}; it stops no run below ${state.eta}`
      : `value ${formatAbortNumber(sign * value)} is ${abort ? 'not ' : ''}among ` +
        `the best ${kept} of ${values.length} at this rung (limit ${formatAbortNumber(sign * limit)})`;
  return plainDecision(abort, share, reason);
}

/**
 * Lists the rungs that a curve has reached by a share and at which its value is known. If the first line comes after a
 * rung, the value at that line counts for the rung.
 */
function reachedBy(
  { config: { burnIn }, eta }: AshaState,
  curve: ShareCurve,
  { points, budget, share }: Pick<AbortInput, 'points' | 'budget'> & { share: number },
) {
  const rungs = rungsOf(eta);
  return rungs.flatMap((from, rung) => {
    const at = Math.max(from, burnIn, curve.shares[0] ?? Infinity);
    if (at > share + 1e-9 || at >= (rungs[rung + 1] ?? 1) - 1e-9) return [];
    const value = windowMean(curve, at, WINDOW);
    return value === null || !hasTimesBetween(points, budget, { from: at - WINDOW, to: at })
      ? []
      : [{ rung, at, value }];
  });
}

/** True if a look at a share would have found no line past the rung, however far apart the lines are. */
function wasBelow(curve: ShareCurve, rung: number, share: number): boolean {
  const lastLine = curve.shares[indexAt(curve, share + 1e-9)];
  return lastLine === undefined || lastLine < rung - 1e-9;
}

const record = (state: AshaState, rung: number, reached: Reached): AshaState => ({
  ...state,
  rungs: state.rungs.map((all, i) => (i === rung ? [...all, reached] : all)),
});

/**
 * Records an ended run at the rungs that it reached before this state existed. A run that the rule wanted to stop
 * counts at no later rung, audited or not: without the audit it would never have reached one.
 */
function learnRungs(before: AshaState, { points, budget, run, wanted }: FinishedCurve): AshaState {
  if (run === undefined) return before;
  const curve = shareCurve(points, budget, directionOfCurve(before.config));
  return reachedBy(before, curve, { points, budget, share: wanted ?? 1 }).reduce(
    (state, { rung, at, value }) =>
      state.rungs[rung]?.some((reached) => reached.run === run)
        ? state
        : record(state, rung, { run, value, share: at }),
    before,
  );
}
