import type { Task } from '../task/task.ts';
import { mostCpuSeconds } from './charge.ts';
import { timeLimitOf } from './time-limit.ts';

/** Hard limits of a run, as a host enforces them. */
export interface RunLimits {
  /** Seconds of wall clock, enforced on the host; null for no limit. */
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
