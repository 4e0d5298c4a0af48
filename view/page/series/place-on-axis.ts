import type { Axis } from './axis.ts';

/** Ended trials as columns of equal length, in the order in which they ended. */
export interface EndedTrials {
  n: number[];
  /** Seconds since the research began. */
  at: number[];
  /** Null where there is none that may be compared. */
  value: (number | null)[];
  /** Indices into `OUTCOMES`. */
  outcome: number[];
  /** The best run of a proposal is looked for among these alone. */
  proposes: boolean[];
  /** Spent by the trial in what the axis counts; not read for an axis that counts nothing spent. */
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

/** Trials along an axis, in its order; and where the axis stood at any moment. */
export interface AxisSeries {
  dots: Dots;
  proposes: boolean[];
  /** x at a moment, in seconds since the research began: of the last trial that had ended then; null before the first. */
  xAt: (seconds: number) => number | null;
}

/** Puts trials along an axis. What was spent counts up in the order of their ends. */
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
      return last < 0 ? null : axis === 'time' ? seconds : (reached[last] ?? null);
    },
  };
}

function xOf({ n, at, spent }: EndedTrials, axis: Axis): number[] {
  if (axis === 'trial') return n;
  if (axis === 'time') return at;
  let sum = 0;
  const digits = DIGITS[axis];
  return spent.map((one) => Math.round((sum += one) * digits) / digits);
}

/** Parts of a unit that are told of what was spent; a sum of fractions has many more digits than a chart shows. */
const DIGITS = { slotSeconds: 1e3, tokens: 1, usd: 1e6 } as const;

/** The greatest so far. */
function running(values: readonly number[]): number[] {
  let most = -Infinity;
  return values.map((value) => (most = Math.max(most, value)));
}

const sortedBy = (keys: readonly number[]): number[] =>
  keys.map((_, index) => index).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));

/** Index of the last of rising values that is at most that; −1 where there is none. */
function lastAtMost(values: readonly number[], most: number): number {
  let [low, high] = [-1, values.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** The best single proposal so far, where it changes: what a plain leaderboard would show. */
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
