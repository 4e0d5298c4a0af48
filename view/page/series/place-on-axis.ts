import type { Axis } from './axis.ts';

/** Ended trials as columns of equal length, in the order of their ends. */
export interface EndedTrials {
  n: number[];
  /** Ends, in seconds since the research began. */
  at: number[];
  /** Values; null without a comparable value. */
  value: (number | null)[];
  /** Indices into `OUTCOMES`. */
  outcome: number[];
  /** True for trials that count for the best run of a proposal. */
  proposes: boolean[];
  /** Spend of each trial in the unit of the axis; not read for the axes `trial` and `time`. */
  spent: number[];
}

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
export interface AxisSeries {
  dots: Dots;
  proposes: boolean[];
  /**
   * Gives x at a time in seconds since the research began: that of the last trial that had ended by then. Null before
   * the first end.
   */
  xAt: (seconds: number) => number | null;
}

/** Places trials on an axis. Spend adds up in the order of the trials' ends. */
export function placeOnAxis(ended: EndedTrials, axis: Axis): AxisSeries {
  const x = xOf(ended, axis);
  const reached = running(x);
  const order = axis === 'trial' ? sortedBy(ended.n) : null;
  const column = <T>(values: readonly T[]): T[] => (order ? order.map((index) => values[index] as T) : [...values]);
  return {
    dots: { n: column(ended.n), x: column(x), value: column(ended.value), outcome: column(ended.outcome) },
    proposes: column(ended.proposes),
    xAt: (seconds) => {
      const last = lastAtMost(ended.at, seconds);
      if (last < 0) return null;
      return axis === 'time' ? seconds : (reached[last] ?? null);
    },
  };
}

function xOf({ n, at, spent }: EndedTrials, axis: Axis): number[] {
  if (axis === 'trial') return n;
  if (axis === 'time') return at;
  let sum = 0;
  const digits = DIGITS[axis];
  return spent.map((amount) => Math.round((sum += amount) * digits) / digits);
}

/** Smallest shown part of a unit, as its inverse. A sum of fractions has more digits than a chart shows. */
const DIGITS = { slotSeconds: 1e3, tokens: 1, usd: 1e6 } as const;

/** Running maximum. */
function running(values: readonly number[]): number[] {
  let most = -Infinity;
  return values.map((value) => (most = Math.max(most, value)));
}

const sortedBy = (keys: readonly number[]): number[] =>
  keys.map((_, index) => index).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));

/** Index of the last of the ascending values that is at most `most`; −1 if there is none. */
function lastAtMost(values: readonly number[], most: number): number {
  let [low, high] = [-1, values.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** The best single run of a proposal so far, at each change, as a plain leaderboard would show it. */
export function rawBest({ dots, proposes }: AxisSeries, direction: 'minimize' | 'maximize'): RawBest {
  const best: RawBest = { x: [], value: [], n: [] };
  let last: number | null = null;
  dots.value.forEach((value, index) => {
    if (value === null || proposes[index] !== true) return;
    if (last !== null && (direction === 'minimize' ? value >= last : value <= last)) return;
    last = value;
    best.x.push(dots.x[index] ?? 0);
    best.value.push(value);
    best.n.push(dots.n[index] ?? 0);
  });
  return best;
}
