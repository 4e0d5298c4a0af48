import { lastShare, shareCurve, signOf, windowMean } from './curve.ts';
import { percent, plain, short, tooEarly } from './say.ts';
import type { AbortConfig, AbortRule } from './types.ts';

/** Reduction factor: a run goes on from a rung where it is among the best third of those that have reached it. */
const ETA = 3;
const RUNGS = [1 / 9, 1 / 3] as const;
const WINDOW = 0.03;

export interface AshaState {
  config: AbortConfig;
  /** Signed values of all runs that have reached each rung, aborted ones too. */
  rungs: number[][];
}

/**
 * The stopping variant of asynchronous successive halving: at each rung a run is compared with all that reached it
 * before, finished or not, and stopped unless it is in the best 1/η. Source: Li et al., A System for Massively Parallel
 * Hyperparameter Tuning (MLSys 2020), Alg. 2, in the stopping form of Klein et al. (2020). Being asynchronous it may
 * not wait: the first η − 1 runs of a rung go on.
 */
export const asha: AbortRule<AshaState> = {
  init: (config) => ({ config, rungs: RUNGS.map(() => []) }),
  // A rung is noted when a run passes it, so that runs still under way count.
  learn: (state) => state,
  decide: (state, { points, budget }) => {
    const { config } = state;
    const share = lastShare(points, budget);
    const early = tooEarly(share, config.burnIn);
    if (early !== null || share === null) return { state, decision: plain(false, share, early ?? 'no point yet') };
    const rung = rungAt(share, config.cadence);
    if (rung === null) return { state, decision: plain(false, share, `no rung at ${percent(share)}`) };
    const value = windowMean(shareCurve(points, budget, config.direction), share, WINDOW);
    if (value === null) return { state, decision: plain(false, share, 'no finite value yet') };
    const seen = [...(state.rungs[rung] ?? []), value].sort((a, b) => a - b);
    const kept = Math.floor(seen.length / ETA);
    const limit = seen[Math.max(0, kept - 1)] ?? value;
    const abort = kept > 0 && value > limit;
    const next = { config, rungs: state.rungs.map((all, i) => (i === rung ? seen : all)) };
    const sign = signOf(config.direction);
    const reason =
      kept === 0
        ? `the rung at ${percent(share)} has ${seen.length} runs; it cuts from ${ETA} on`
        : `value ${short(sign * value)} is ${abort ? 'not ' : ''}among the best ${kept} of ${seen.length} at this rung (limit ${short(sign * limit)})`;
    return { state: next, decision: plain(abort, share, reason) };
  },
};

/** The rung that the look at this share is the first to pass: within one cadence after it. */
function rungAt(share: number, cadence: number): number | null {
  const i = RUNGS.findIndex((rung) => share >= rung - 1e-9 && share < rung + cadence - 1e-9);
  return i < 0 ? null : i;
}
