import type { Progress } from '../schema/metric.ts';
import type { Failure } from '../trial.ts';
import type { Point } from './read-points.ts';

/** Consecutive points above the limit that end a run as diverged; a single bad step may recover. */
const DIVERGED_POINTS = 3;

/** State of the hard rules for a run; plain JSON, finite numbers only. */
export interface HardRuleState {
  /** Value of the first point. */
  first: number | null;
  /** Consecutive points above the limit. */
  above: number;
  /** Failure of the first rule that a point broke; it stays. */
  broken: Failure | null;
}

export const NO_POINTS: HardRuleState = { first: null, above: 0, broken: null };

/** The state after one more point. The diverge rule treats values as losses: lower is better. */
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

/**
 * The failure that ends the run now, or null. `silentSeconds`: time in which the worker polled the run and read no
 * line.
 */
export function brokenRule(state: HardRuleState, silentSeconds: number, progress: Progress): Failure | null {
  if (state.broken) return state.broken;
  const { stallSeconds } = progress;
  if (stallSeconds === undefined || silentSeconds < stallSeconds) return null;
  const silence = `the run printed no line of any kind for ${Math.floor(silentSeconds)} s`;
  return failure('stalled', `${silence} (progress.stallSeconds: ${stallSeconds})`);
}

const failure = (label: 'not-finite' | 'diverged' | 'stalled', message: string): Failure => ({ label, message });

// For a negative `first`, first × factor would be a better value; the allowed rise is |first| × (factor - 1) instead.
function divergeLimit(first: number, factor: number | undefined): number | null {
  return factor === undefined || first === 0 ? null : first + Math.abs(first) * (factor - 1);
}

/** Most seconds that one poll adds to a silence. In a longer gap nothing polled: a worker froze, or a machine slept. */
const LONGEST_GAP = 3;

/** The silence of a run: only time in which the worker polls it counts. Plain JSON. */
interface Silence {
  /** Seconds without a line. */
  seconds: number;
  /** Time of the last poll or line, in seconds of a monotonic clock; null before the first. */
  at: number | null;
}

export const NO_READ_YET: Silence = { seconds: 0, at: null };

/** The silence after a line. */
export const afterLine = (now: number): Silence => ({ seconds: 0, at: now });

/** The silence after a poll that read no line. */
export const afterSilentRead = ({ seconds, at }: Silence, now: number): Silence => ({
  seconds: seconds + (at === null ? 0 : Math.min(LONGEST_GAP, Math.max(0, now - at))),
  at: now,
});
