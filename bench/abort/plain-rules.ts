import { median } from 'simple-statistics';

/** Ended runs that the regression and the median need. */
const [FEWEST, FEWEST_FOR_MEDIAN] = [8, 5];

/** A run's values at the looks of the yardstick. */
export interface Run {
  values: number[];
  final: number;
}

/** A run at its look `i`, the ended runs, and the final to beat; lower is better. */
export interface RunAtLook {
  i: number;
  run: Run;
  done: readonly Run[];
  incumbent: number;
}

/**
 * True if the least-squares prediction of the final is above the incumbent by more than `z` standard errors, which are
 * widened for few runs.
 */
export function isHopeless({ i, run, done, incumbent }: RunAtLook, z: number): boolean {
  const n = done.length;
  if (n < FEWEST) return false;
  const xs = done.map((other) => other.values[i] ?? 0);
  const meanX = xs.reduce((sum, x) => sum + x, 0) / n;
  const meanY = done.reduce((sum, { final }) => sum + final, 0) / n;
  let [xx, xy, yy] = [0, 0, 0];
  done.forEach(({ final }, j) => {
    const [dx, dy] = [(xs[j] ?? 0) - meanX, final - meanY];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  });
  if (Math.sqrt(xx / n) < 1e-9) return false;
  const slope = xy / xx;
  const x = run.values[i] ?? 0;
  const s = Math.sqrt((Math.max(0, yy - slope * xy) / (n - 2)) * (1 + 1 / n + (x - meanX) ** 2 / xx));
  return meanY + slope * (x - meanX) - z * s * (1 + 2 / n) > incumbent;
}

/** True if the run is worse than half of the ended runs were at this look. */
export const isWorseThanMedian = ({ i, run, done }: RunAtLook): boolean =>
  done.length >= FEWEST_FOR_MEDIAN && (run.values[i] ?? 0) > median(done.map((other) => other.values[i] ?? 0));
