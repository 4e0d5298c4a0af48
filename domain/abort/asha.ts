import { howMany } from '../how-many.ts';
import { lastShare, directionOfCurve, shareCurve, signOf, windowMean, type ShareCurve } from './curve.ts';
import { percent, plain, short, tooEarly } from './say.ts';
import type { AbortConfig, AbortRule, FinishedCurve } from './types.ts';

/** Reduction factor: a run goes on from a rung where it is among the best third of those that have reached it. */
const ETA = 3;
const RUNGS = [1 / 9, 1 / 3] as const;
const WINDOW = 0.03;

/** A run at a rung, with its signed value there. One without a name is nobody else. */
interface Reached {
  run?: string;
  value: number;
}

export interface AshaState {
  config: AbortConfig;
  /** All runs that have reached each rung, aborted ones too. */
  rungs: Reached[][];
}

/**
 * The stopping variant of asynchronous successive halving: at each rung a run is compared with all that reached it
 * before, finished or not, and stopped unless it is in the best 1/η. Source: Li et al., A System for Massively Parallel
 * Hyperparameter Tuning (MLSys 2020), Alg. 2, in the stopping form of Klein et al. (2020). Being asynchronous it may
 * not wait: the first η − 1 runs of a rung go on.
 */
export const asha: AbortRule<AshaState> = {
  init: (config) => ({ config, rungs: RUNGS.map(() => []) }),
  learn: learnRungs,
  // A rung is noted when a run passes it, so that runs still under way count.
  decide: (state, { points, budget, run }) => {
    const { config } = state;
    const share = lastShare(points, budget);
    const early = tooEarly(share, config.burnIn);
    if (early !== null || share === null) return { state, decision: plain(false, share, early ?? 'no point yet') };
    const rung = rungAt(share, config.cadence);
    if (rung === null) return { state, decision: plain(false, share, `no rung at ${percent(share)}`) };
    const value = windowMean(shareCurve(points, budget, directionOfCurve(config)), share, WINDOW);
    if (value === null) return { state, decision: plain(false, share, 'no finite value yet') };
    const next = note(state, rung, run === undefined ? { value } : { run, value });
    const seen = (next.rungs[rung] ?? []).map((one) => one.value).sort((a, b) => a - b);
    const kept = Math.floor(seen.length / ETA);
    const limit = seen[Math.max(0, kept - 1)] ?? value;
    const abort = kept > 0 && value > limit;
    const sign = signOf(directionOfCurve(config));
    const reason =
      kept === 0
        ? `the rung at ${percent(share)} has ${howMany(seen.length, 'run')}; it cuts from ${ETA} on`
        : `value ${short(sign * value)} is ${abort ? 'not ' : ''}among the best ${kept} of ${seen.length} at this rung (limit ${short(sign * limit)})`;
    return { state: next, decision: plain(abort, share, reason) };
  },
};

/** The rung that the look at this share is the first to pass: within one cadence after it. */
function rungAt(share: number, cadence: number): number | null {
  const i = RUNGS.findIndex((rung) => share >= rung - 1e-9 && share < rung + cadence - 1e-9);
  return i < 0 ? null : i;
}

/** The run at the rung; one that comes by again (its monitor died) is there once. */
function note(state: AshaState, rung: number, reached: Reached): AshaState {
  const others = (all: Reached[]): Reached[] =>
    reached.run === undefined ? all : all.filter(({ run }) => run !== reached.run);
  return { ...state, rungs: state.rungs.map((all, i) => (i === rung ? [...others(all), reached] : all)) };
}

/**
 * The rungs that an ended run had reached and that nobody noted, because the state is younger than the run. A run that was
 * wished away is at no later rung, audited or not: without the audit it would never have come there.
 */
function learnRungs(before: AshaState, { points, budget, run, wanted }: FinishedCurve): AshaState {
  if (run === undefined) return before;
  const { burnIn, cadence } = before.config;
  const curve = shareCurve(points, budget, directionOfCurve(before.config));
  return RUNGS.reduce((state, from, rung) => {
    if (state.rungs[rung]?.some((one) => one.run === run) || from > (wanted ?? 1)) return state;
    const share = firstFrom(curve, Math.max(from, burnIn));
    const value = share === undefined || rungAt(share, cadence) !== rung ? null : windowMean(curve, share, WINDOW);
    return value === null ? state : note(state, rung, { run, value });
  }, before);
}

const firstFrom = (curve: ShareCurve, from: number): number | undefined =>
  curve.shares.find((share) => share >= from - 1e-9);
