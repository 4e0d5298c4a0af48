/** Share of the memory of a machine that its evaluators may use together. */
const MOST = 0.8;
/** Memory that an evaluator may use on a machine of many slots: Python and its libraries need that much. */
const LEAST_MB = 2048;
const MIB = 1024 * 1024;

interface Machine {
  totalBytes: number;
  /** Limit of the container or service in which this process runs; 0, undefined or more than the total: none. */
  limitBytes: number | undefined;
  /** Evaluations at once. */
  places: number;
}

/** Memory in MiB that an evaluator may use, so that all evaluators at once leave a fifth of the machine's. */
export function evaluatorMemoryMb({ totalBytes, limitBytes, places }: Machine): number {
  const bytes = limitBytes ? Math.min(limitBytes, totalBytes) : totalBytes;
  const all = (bytes / MIB) * MOST;
  return Math.floor(Math.min(all, Math.max(all / places, LEAST_MB)));
}
