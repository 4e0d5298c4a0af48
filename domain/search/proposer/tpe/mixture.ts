import { drawByWeight } from '../../../statistics/draw-by-weight.ts';
import type { Random } from '../../../statistics/random.ts';
import type { Axis } from '../space/axis.ts';
import type { Point } from '../space/even-draw.ts';
import { bandwidths, type BandwidthRule } from './bandwidth.ts';
import { drawChoice, drawFrom, type Kernel, massBetween, massWithin, shareOfEqual, shareOfOther } from './kernels.ts';

/** A joint density over the positions of all axes: one kernel for each point, and a wide one for the prior. */
export interface Mixture {
  /** Logarithm of the density of floats and of the probability of ints and choices, together. */
  logDensity: (point: Point) => number;
  sample: (random: Random) => number[];
}

const PRIOR: Kernel = { centre: 0.5, width: 1 };
const LOG_ROOT_OF_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** The mixture over points, oldest first. The prior has the weight of one point. */
export function mixtureOf(axes: readonly Axis[], points: readonly Point[], rule: BandwidthRule): Mixture {
  const [n, size] = [points.length, axes.length];
  const widths = bandwidths(points, { axes: size, rule });
  const weights = weightsOf(n);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const kernelAt = (k: number, j: number): Kernel =>
    k === n ? PRIOR : { centre: points[k]?.[j] ?? 0, width: widths[k * size + j] ?? 1 };
  // A kernel's weight, and what its density has in common at all points.
  const heights = Float64Array.from(weights, (weight, k) => {
    let log = Math.log(weight / total);
    axes.forEach(({ kind }, j) => {
      if (kind === 'choice') return;
      const kernel = kernelAt(k, j);
      log -= Math.log(massWithin(kernel));
      if (kind === 'float') log -= Math.log(kernel.width) + LOG_ROOT_OF_TWO_PI;
    });
    return log;
  });

  /** Adds the logarithm of every kernel's density at a position of one axis to `logs`. */
  function addAxis(logs: Float64Array, j: number, at: number): void {
    const axis = axes[j];
    if (axis === undefined) return;
    if (axis.kind === 'choice') {
      const [equal, other] = [Math.log(shareOfEqual(axis.size, n)), Math.log(shareOfOther(axis.size, n))];
      for (let k = 0; k < n; k += 1) logs[k] = (logs[k] ?? 0) + (points[k]?.[j] === at ? equal : other);
      logs[n] = (logs[n] ?? 0) - Math.log(axis.size);
      return;
    }
    if (axis.kind === 'int') {
      const cell = axis.cell(at);
      // The values of an int recur, so that kernels of equal centre and width are computed once.
      const known = new Map<number, { width: number; log: number }>();
      for (let k = 0; k <= n; k += 1) {
        const kernel = kernelAt(k, j);
        let found = known.get(kernel.centre);
        if (found?.width !== kernel.width) {
          found = { width: kernel.width, log: Math.log(massBetween(cell, kernel)) };
          known.set(kernel.centre, found);
        }
        logs[k] = (logs[k] ?? 0) + found.log;
      }
      return;
    }
    for (let k = 0; k < n; k += 1) {
      const z = (at - (points[k]?.[j] ?? 0)) / (widths[k * size + j] ?? 1);
      logs[k] = (logs[k] ?? 0) - 0.5 * z * z;
    }
    logs[n] = (logs[n] ?? 0) - 0.5 * (at - PRIOR.centre) ** 2;
  }

  return {
    logDensity: (point) => {
      const logs = Float64Array.from(heights);
      for (let j = 0; j < size; j += 1) addAxis(logs, j, point[j] ?? 0);
      return logOfSum(logs);
    },
    sample: (random) => {
      const k = drawByWeight(weights, random);
      return axes.map((axis, j) => {
        if (axis.kind !== 'choice') return drawFrom(kernelAt(k, j), { axis, random });
        return k === n ? random.below(axis.size) : drawChoice(points[k]?.[j] ?? -1, { size: axis.size, n, random });
      });
    },
  };
}

/** Number of the newest points with full weight. */
const NEWEST = 25;

/** Weights of n points, oldest first, rising from 1/n to 1, and that of the prior. */
export const weightsOf = (n: number): number[] => {
  const older = n - NEWEST;
  const weights = Array.from({ length: n }, (_, k) =>
    k >= older || older < 2 ? 1 : 1 / n + ((1 - 1 / n) * k) / (older - 1),
  );
  return [...weights, 1];
};

/** log Σ exp(logs), from the largest term, so that no term overflows. */
function logOfSum(logs: Float64Array): number {
  let top = -Infinity;
  for (const log of logs) if (log > top) top = log;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - top);
  return top + Math.log(sum);
}
