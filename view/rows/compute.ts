import type { Run } from '../../domain/schema/run.ts';
import { formatDigits } from '../../domain/text/format.ts';

/** Means of runs, in seconds. */
export interface ComputeUsed {
  /** Seconds on the slot. */
  seconds: number;
  /** CPU seconds of all processes, the answering program included; null if no host reported them. */
  cpuSeconds: number | null;
}

/** Compute of the best's runs, compared with the baseline's. */
export interface Compute {
  /** Multiple of the baseline's compute. */
  times: number;
  /** Seconds more than the baseline; negative: less. */
  more: number;
  /** Measure that is compared. */
  of: 'cpu' | 'wall';
}

/** Relative difference that does not count: variations of a machine are as large. */
const AS_MUCH = 0.1;
/** Difference in seconds that does not count: the start of a program varies as much. */
const AS_LONG = 0.5;

/** Compares the compute of runs with the baseline's, in the measure of the budget; null if either is unknown. */
export function computeOf(
  { kind }: Pick<Run['budget'], 'kind'>,
  { used, baseline }: { used: ComputeUsed | undefined; baseline: ComputeUsed | undefined },
): Compute | null {
  const measure = kind === 'wall' ? 'wall' : 'cpu';
  const secondsOf = (compute: ComputeUsed | undefined): number =>
    (measure === 'wall' ? compute?.seconds : compute?.cpuSeconds) ?? 0;
  const [bestSeconds, baselineSeconds] = [secondsOf(used), secondsOf(baseline)];
  if (!bestSeconds || !baselineSeconds) return null;
  return { times: bestSeconds / baselineSeconds, more: bestSeconds - baselineSeconds, of: measure };
}

/** Describes the compute, such as "2.7 × the compute", which may explain a gain; null if it is about the baseline's. */
export function describeCompute(compute: Compute | null | undefined): string | null {
  if (!compute || Math.abs(compute.times - 1) < AS_MUCH || Math.abs(compute.more) < AS_LONG) return null;
  const { times } = compute;
  return `${times < 0.95 ? times.toFixed(2) : formatDigits(times)} × the compute`;
}
