import type { Random } from '../statistics/random.ts';
import { markTop, pedAnova, type AxisCells, type Sample } from './ped-anova.ts';

/** Resamples of an interval, and shuffles of a chance. */
const REPEATS = 200;

export interface Importance {
  /** PED-ANOVA's importance over the sum of all axes; null if the sum is 0. */
  share: number | null;
  /** The middle 95 % of the shares in 200 resamples of the candidates with replacement; null without a share. */
  interval: [number, number] | null;
  /** Share of 200 shuffles of the candidates' values that give this axis at least its importance. */
  chance: number;
}

/**
 * The importance of each axis for a candidate to be among the best `size`. `cost`: the candidates' values, signed so
 * that lower is better.
 */
export function importances(
  axes: readonly AxisCells[],
  input: { cost: Float64Array; size: number },
  random: Random,
): Importance[] {
  const { cost, size } = input;
  const everyone = Int32Array.from(cost, (_, index) => index);
  const at = (sample: Sample, isTop: boolean[]) => pedAnova(axes, { sample, isTop });
  const top = markTop(everyone, input);
  const found = at(everyone, top);
  const resampled = Array.from({ length: REPEATS }, () => {
    const sample = everyone.map(() => random.below(everyone.length));
    return sharesOf(at(sample, markTop(sample, { cost, size })));
  });
  const shuffled = Array.from({ length: REPEATS }, () => at(shuffle(everyone, random), top));
  const shares = sharesOf(found);
  return found.map((importance, axis) => {
    const atLeast = shuffled.filter((other) => (other[axis] ?? 0) >= importance).length;
    return {
      share: shares?.[axis] ?? null,
      interval: shares && middle(resampled.flatMap((one) => one?.[axis] ?? [])),
      chance: (atLeast + 1) / (REPEATS + 1),
    };
  });
}

function sharesOf(found: readonly number[]): number[] | null {
  const sum = found.reduce((all, one) => all + one, 0);
  return sum > 0 ? found.map((one) => one / sum) : null;
}

/** The range of the middle 95 % of values. */
function middle(values: readonly number[]): [number, number] | null {
  const sorted = values.toSorted((a, b) => a - b);
  const cut = Math.floor(sorted.length * 0.025);
  const [low, high] = [sorted[cut], sorted[sorted.length - 1 - cut]];
  return low === undefined || high === undefined ? null : [low, high];
}

function shuffle(candidates: Int32Array, random: Random): Int32Array {
  const shuffled = candidates.slice();
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] ?? 0, shuffled[last] ?? 0];
  }
  return shuffled;
}
