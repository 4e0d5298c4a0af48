import type { Task } from '../task/task.ts';
import { mostCpuSeconds } from './charge.ts';
import { timeLimitOf } from './time-limit.ts';

/** Multiple of its time limit after which a run ends, however long other processes kept it from a CPU. */
const BACKSTOP_FACTOR = 4;

/** Hard limits of a run, as a host enforces them. */
export interface RunLimits {
  /** Seconds of wall clock without the time in which other processes kept the run from a CPU; null for no limit. */
  wallSeconds: number | null;
  /** Seconds of CPU over the tree; null for no limit. */
  cpuSeconds: number | null;
  /** Seconds from TERM to KILL. */
  graceSeconds: number;
  memoryMb: number;
  processes: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /** MiB of the run directory, without the staged files. */
  diskMb: number;
  /** Number of files, folders and links in the run directory, without the staged ones. */
  files: number;
}

/** Seconds of wall clock after which a host ends a run in any case; null for no limit. */
export const backstopSeconds = ({ wallSeconds }: Pick<RunLimits, 'wallSeconds'>): number | null =>
  wallSeconds === null ? null : BACKSTOP_FACTOR * wallSeconds;

/** Hard limits of a run of the unmodified version. */
export function runLimits(task: Task): RunLimits & { wallSeconds: number } {
  const { run } = task;
  const { budget, resources } = run;
  return {
    wallSeconds: timeLimitOf(task),
    cpuSeconds: mostCpuSeconds(budget, null),
    graceSeconds: run.graceSeconds,
    memoryMb: resources.memoryMb,
    processes: resources.processes,
    outputBytes: Math.round(resources.outputMb * 1024 * 1024),
    diskMb: resources.diskMb,
    files: resources.files,
  };
}
