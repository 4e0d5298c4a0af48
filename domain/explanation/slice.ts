import { binomialInterval } from '../statistics/binomial-interval.ts';
import type { KnobAxis } from './knob-axis.ts';

/** Parts of a number's axis. */
const PARTS = 6;
/** Fewest candidates of an interval: with five, the range of all values covers the median in less than 95 %. */
const LEAST_IN_PART = 6;

/** Candidates whose value of a knob lies in one part of its axis. */
export interface Part {
  /** Ends of the part, in units of the knob; for a choice both are the choice, as a text. */
  from: string;
  to: string;
  n: number;
  /** Median of their values; null without candidates. */
  median: number | null;
  /** 95 % interval of the median; null with fewer than six candidates. */
  interval: [number, number] | null;
}

/** The values of candidates by the part of a knob's axis in which they lie; `position`: null without a value there. */
export function sliceOf(axis: KnobAxis, candidates: readonly { position: number | null; value: number }[]): Part[] {
  const parts = axis.isOrdered ? Math.min(PARTS, axis.cells) : axis.cells;
  // The positions of a choice, and of a short axis, are the middles of its parts.
  const isEach = parts === axis.cells;
  const partOf = (position: number): number =>
    isEach ? Math.round(position * (parts - 1)) : Math.min(parts - 1, Math.floor(position * parts));
  const values = Array.from({ length: parts }, (): number[] => []);
  for (const { position, value } of candidates) if (position !== null) values[partOf(position)]?.push(value);
  return values.map((inPart, part) => {
    const ends = isEach ? [at(part, parts - 1), at(part, parts - 1)] : [part / parts, (part + 1) / parts];
    const [from = '', to = ''] = ends.map((end) => axis.textAt(end));
    return { from, to, n: inPart.length, ...medianOf(inPart) };
  });
}

const at = (part: number, last: number): number => (last === 0 ? 0 : part / last);

/** The median, with the interval between two order statistics. It holds for every distribution of the values. */
export function medianOf(values: readonly number[]): Pick<Part, 'median' | 'interval'> {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const [low, high] = [sorted[Math.floor((n - 1) / 2)], sorted[Math.floor(n / 2)]];
  if (low === undefined || high === undefined) return { median: null, interval: null };
  const median = low / 2 + high / 2;
  if (n < LEAST_IN_PART) return { median, interval: null };
  const rank = rankBelow(n);
  return { median, interval: [sorted[rank - 1] ?? low, sorted[n - rank] ?? high] };
}

/**
 * The largest rank r for which the values of ranks r and n + 1 − r enclose the median in at least 95 %: P(X < r) ≤ .025
 * for X binomial (n, .5). By the exact bounds of a share: r counts as few if its upper bound stays below .5.
 */
function rankBelow(n: number): number {
  let rank = 1;
  while (rank < n / 2 && binomialInterval(rank, n, 0.975).high < 0.5) rank += 1;
  return rank;
}
