import type { Point } from '../space/even-draw.ts';

/** Rule for the widths of kernels. */
export type BandwidthRule = 'scott' | 'neighbours';

/**
 * Width of each point's kernel on each axis, as rows of `axes` numbers, at least 1/min(100, n + 2) and at most 1.
 *
 * `scott`: 0.2 · n^(−1/(axes + 4)), as Optuna 4 has it for joint densities. `neighbours`: the larger distance to the
 * next point below and above, the ends of the range included, as Optuna 5 has it (Bergstra et al., 2011).
 */
export function bandwidths(
  points: readonly Point[],
  { axes, rule }: { axes: number; rule: BandwidthRule },
): Float64Array {
  const n = points.length;
  const least = 1 / Math.min(100, n + 2);
  const clipped = (width: number): number => Math.min(1, Math.max(least, width));
  const widths = new Float64Array(n * axes).fill(clipped(0.2 * n ** (-1 / (axes + 4))));
  if (rule === 'scott') return widths;
  for (let axis = 0; axis < axes; axis += 1) {
    const at = (index: number | undefined): number => points[index ?? -1]?.[axis] ?? 0;
    const order = points.map((_, index) => index).sort((a, b) => at(a) - at(b));
    order.forEach((index, rank) => {
      const below = rank === 0 ? at(index) : at(index) - at(order[rank - 1]);
      const above = rank === n - 1 ? 1 - at(index) : at(order[rank + 1]) - at(index);
      widths[index * axes + axis] = clipped(Math.max(below, above));
    });
  }
  return widths;
}
