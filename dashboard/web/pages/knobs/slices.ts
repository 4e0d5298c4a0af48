import type { ExplainedKnob, Explanation } from '../../../api/research/explanation.ts';
import { formatValue } from '../../parts/numbers.ts';

/** Range of the medians and intervals of all slices, so that the slices share an axis. */
export function sharedRange(knobs: readonly Pick<ExplainedKnob, 'slice'>[]): { low: number; high: number } {
  const values = knobs.flatMap(({ slice }) =>
    slice.flatMap(({ median, interval }) => (median === null ? [] : [median, ...(interval ?? [])])),
  );
  return values.length === 0 ? { low: 0, high: 1 } : { low: Math.min(...values), high: Math.max(...values) };
}

/** Rows of the slices' table: knob, value, candidates, median, interval. */
export const sliceRows = (knobs: readonly ExplainedKnob[]): { cells: string[] }[] =>
  knobs.flatMap(({ name, slice }) =>
    slice.map(({ from, to, n, median, interval }) => ({
      cells: [
        name,
        from === to ? from : `${from} to ${to}`,
        String(n),
        formatValue(median),
        interval === null ? 'too few trials' : `${formatValue(interval[0])} to ${formatValue(interval[1])}`,
      ],
    })),
  );

/** Rows of the table of parallel coordinates: the value of a candidate, then each knob's. */
export const lineRows = (lines: Explanation['lines'], order: readonly number[]): { cells: string[] }[] =>
  lines.map(({ value, texts, isTop }) => ({
    cells: [formatValue(value), isTop ? 'yes' : 'no', ...order.map((index) => texts[index] ?? '–')],
  }));
