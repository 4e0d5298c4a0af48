import type { Axis } from './axis.ts';
import { orderOfEnds, type EndedTrials } from './ended-trials.ts';

/** Dots as columns, as a page draws them. */
export interface Dots {
  n: number[];
  x: number[];
  value: (number | null)[];
  outcome: number[];
}

export interface RawBest {
  x: number[];
  value: number[];
  n: number[];
}

/** Trials in the order of an axis, and the position on the axis at any time. */
export interface AxisSeries extends Omit<EndedTrials, 'at' | 'spent'> {
  /** Positions on the axis, ascending. */
  x: Float64Array | Int32Array;
  /**
   * Gives x at a time in seconds since the research began: that of the last trial that had ended by then. Null before
   * the first end.
   */
  xAt: (seconds: number) => number | null;
}

/** Places trials on an axis. Spend adds up in the order of the trials' ends. */
export function placeOnAxis(ended: EndedTrials, axis: Axis): AxisSeries {
  if (axis === 'trial') {
    const earliest = earliestFrom(ended.at);
    return { ...ended, x: ended.n, xAt: (seconds) => ended.n[lastAtMost(earliest, seconds)] ?? null };
  }
  const order = orderOfEnds(ended.at);
  const at = ended.at.map((_, index) => ended.at[order[index] ?? 0] ?? 0);
  const x = axis === 'time' ? at : sums(ended.spent, { order, digits: DIGITS[axis] });
  return {
    n: ended.n.map((_, index) => ended.n[order[index] ?? 0] ?? 0),
    x,
    value: ended.value.map((_, index) => ended.value[order[index] ?? 0] ?? Number.NaN),
    outcome: ended.outcome.map((_, index) => ended.outcome[order[index] ?? 0] ?? 0),
    proposes: ended.proposes.map((_, index) => ended.proposes[order[index] ?? 0] ?? 0),
    xAt: (seconds) => {
      const last = lastAtMost(at, seconds);
      if (last < 0) return null;
      return axis === 'time' ? seconds : (x[last] ?? null);
    },
  };
}

/** Smallest shown part of a unit, as its inverse. A sum of fractions has more digits than a chart shows. */
const DIGITS = { slotSeconds: 1e3, tokens: 1, usd: 1e6 } as const;

/** Sums of the amounts up to each place of the order. */
function sums(amounts: Float64Array, { order, digits }: { order: Int32Array; digits: number }): Float64Array {
  let sum = 0;
  return amounts.map((_, index) => Math.round((sum += amounts[order[index] ?? 0] ?? 0) * digits) / digits);
}

/** Earliest end of each trial and of those with higher numbers. */
function earliestFrom(at: Float64Array): Float64Array {
  const earliest = new Float64Array(at.length);
  let least = Infinity;
  for (let index = at.length - 1; index >= 0; index -= 1) {
    const end = at[index] ?? Infinity;
    if (end < least) least = end;
    earliest[index] = least;
  }
  return earliest;
}

/** Index of the last of the ascending values that is at most `most`; −1 if there is none. */
function lastAtMost(values: Float64Array, most: number): number {
  let [low, high] = [-1, values.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** The best single run of a proposal so far, at each change, as a plain leaderboard would show it. */
export function rawBest({ n, x, value, proposes }: AxisSeries, direction: 'minimize' | 'maximize'): RawBest {
  const best: RawBest = { x: [], value: [], n: [] };
  const sign = direction === 'minimize' ? 1 : -1;
  let last = Infinity;
  for (let index = 0; index < value.length; index += 1) {
    const current = value[index] ?? Number.NaN;
    // False for NaN, too.
    if (!(sign * current < last) || proposes[index] !== 1) continue;
    last = sign * current;
    best.x.push(x[index] ?? 0);
    best.value.push(current);
    best.n.push(n[index] ?? 0);
  }
  return best;
}
