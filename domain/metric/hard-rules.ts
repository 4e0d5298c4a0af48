import type { Progress } from '../schema/metric.ts';
import type { Failure } from '../trial.ts';
import type { Point } from './read-points.ts';

/** Points in a row above the limit that end a run as diverged: one bad step may heal. */
const DIVERGED_POINTS = 3;

/** What the hard rules remember of a run; plain JSON, finite numbers only. */
export interface HardRuleState {
  /** Value of the first point. */
  first: number | null;
  /** Points in a row above the limit. */
  above: number;
  /** The rule that a point broke; it stays. */
  broken: Failure | null;
}

export const NO_POINTS: HardRuleState = { first: null, above: 0, broken: null };

/** The state after one more point. The diverge rule reads values as losses: lower is better. */
export function afterPoint(state: HardRuleState, { step, value }: Point, progress: Progress): HardRuleState {
  if (state.broken) return state;
  if (!Number.isFinite(value))
    return { ...state, broken: failure('not-finite', `${progress.value} is ${value} at step ${step}`) };
  const first = state.first ?? value;
  const limit = divergeLimit(first, progress.divergeFactor);
  const above = limit !== null && value > limit ? state.above + 1 : 0;
  if (limit === null || above < DIVERGED_POINTS) return { first, above, broken: null };
  const message =
    `${progress.value} stayed above ${limit} for ${above} points (now ${value} at step ${step}); ` +
    `it began at ${first} and may grow ${progress.divergeFactor}-fold`;
  return { first, above, broken: failure('diverged', message) };
}

/** The failure that ends the run now, or null. `silent`: seconds in which it was looked at and printed no line. */
export function brokenRule(state: HardRuleState, silent: number, progress: Progress): Failure | null {
  if (state.broken) return state.broken;
  const { stallSeconds } = progress;
  if (stallSeconds === undefined || silent < stallSeconds) return null;
  return failure('stalled', `no line for ${Math.floor(silent)} s; the task allows ${stallSeconds} s`);
}

const failure = (label: 'not-finite' | 'diverged' | 'stalled', message: string): Failure => ({ label, message });

// Below zero "times the factor" would mean better; the distance to the first value grows instead. From 0 nothing grows.
function divergeLimit(first: number, factor: number | undefined): number | null {
  return factor === undefined || first === 0 ? null : first + Math.abs(first) * (factor - 1);
}

/** What one look adds to a silence at most, in seconds: in a longer gap nobody looked (a worker froze, a machine slept). */
const LONGEST_GAP = 3;

/** How long a run has been seen to say nothing: only time in which somebody looked counts. Plain JSON. */
interface Silence {
  /** Seconds without a line. */
  seconds: number;
  /** The last look or line, in seconds of a clock that never goes back; null before the first. */
  at: number | null;
}

export const NO_READ_YET: Silence = { seconds: 0, at: null };

/** After a line. */
export const afterLine = (now: number): Silence => ({ seconds: 0, at: now });

/** After a look that found no line. */
export const afterSilentRead = ({ seconds, at }: Silence, now: number): Silence => ({
  seconds: seconds + (at === null ? 0 : Math.min(LONGEST_GAP, Math.max(0, now - at))),
  at: now,
});
