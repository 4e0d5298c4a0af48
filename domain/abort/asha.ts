import { howMany } from '../how-many.ts';
import { lastShare, directionOfCurve, shareCurve, signOf, windowMean, type ShareCurve } from './curve.ts';
import { percent, plain, short, tooEarly } from './say.ts';
import type { AbortConfig, AbortRule, FinishedCurve } from './types.ts';

/** Reduction factor: a run goes on from a rung where it is among the best third of those that have reached it. */
const ETA = 3;
const RUNGS = [1 / 9, 1 / 3] as const;
const WINDOW = 0.03;

/** A run at a rung, with its signed value there, and the share at which it was looked at. One without a name is nobody else. */
interface Reached {
  run?: string;
  value: number;
  share: number;
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
    const rung = rungFor(state, { share, run });
    if (rung === null) return { state, decision: plain(false, share, `no rung at ${percent(share)}`) };
    const value = windowMean(shareCurve(points, budget, directionOfCurve(config)), share, WINDOW);
    if (value === null) return { state, decision: plain(false, share, 'no finite value yet') };
    const next = note(state, rung, run === undefined ? { value, share } : { run, value, share });
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

/**
 * The rung that the look at this share is the first to pass, or is the same look at once more: the last rung below it where
 * the run is not noted before, however far apart its lines are. Of a run without a name that is not known: within one cadence
 * after the rung.
 */
function rungFor(state: AshaState, { share, run }: { share: number; run: string | undefined }): number | null {
  const rung = RUNGS.findLastIndex((from) => share >= from - 1e-9);
  const from = RUNGS[rung];
  if (from === undefined) return null;
  const noted = run === undefined ? from : state.rungs[rung]?.find((one) => one.run === run)?.share;
  return noted !== undefined && share >= noted + state.config.cadence - 1e-9 ? null : rung;
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
  const { burnIn } = before.config;
  const curve = shareCurve(points, budget, directionOfCurve(before.config));
  return RUNGS.reduce((state, from, rung) => {
    if (state.rungs[rung]?.some((one) => one.run === run) || from > (wanted ?? 1)) return state;
    const share = firstFrom(curve, Math.max(from, burnIn));
    const isThere = share !== undefined && share < (RUNGS[rung + 1] ?? 1) - 1e-9;
    const value = isThere ? windowMean(curve, share, WINDOW) : null;
    return value === null ? state : note(state, rung, { run, value, share: share ?? 1 });
  }, before);
}

const firstFrom = (curve: ShareCurve, from: number): number | undefined =>
  curve.shares.find((share) => share >= from - 1e-9);
