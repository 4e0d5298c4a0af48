import type { Run } from '../../domain/schema/run.ts';
import { formatDigits } from '../../domain/text/format.ts';

/** Means of runs, in seconds. */
export interface ComputeUsed {
  /** On the slot. */
  seconds: number;
  /** Of all processes, and of what answered for them; null where no host said. */
  cpuSeconds: number | null;
}

/** Times of the baseline's compute that a best used, and the seconds that it used more (negative: less); `of` says what is compared. */
export interface Compute {
  times: number;
  more: number;
  of: 'cpu' | 'wall';
}

/** Times of the baseline that are no difference: what a machine does otherwise changes as much. */
const AS_MUCH = 0.1;
/** Seconds that are no difference: to start a program takes as much, more or less. */
const AS_LONG = 0.5;

/** The compute of runs beside the baseline's, as the budget counts it; null where either is not known. */
export function computeOf(
  { kind }: Pick<Run['budget'], 'kind'>,
  { used, baseline }: { used: ComputeUsed | undefined; baseline: ComputeUsed | undefined },
): Compute | null {
  const of = kind === 'wall' ? 'wall' : 'cpu';
  const [own, theirs] = [used, baseline].map((one) => (of === 'wall' ? one?.seconds : one?.cpuSeconds) ?? 0);
  return own && theirs ? { times: own / theirs, more: own - theirs, of } : null;
}

/** "2.7 × the compute": a gain may be bought with it; null where it is about the baseline's. */
export function describeCompute(compute: Compute | null | undefined): string | null {
  if (!compute || Math.abs(compute.times - 1) < AS_MUCH || Math.abs(compute.more) < AS_LONG) return null;
  const { times } = compute;
  return `${times < 0.95 ? times.toFixed(2) : formatDigits(times)} × the compute`;
}
