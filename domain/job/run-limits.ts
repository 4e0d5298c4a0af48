import type { Task } from '../task/task.ts';
import { mostCpuSeconds } from './charge.ts';
import { timeLimitOf } from './time-limit.ts';

/** Hard limits of a run, as a host enforces them. */
interface Limits {
  wallSeconds: number;
  cpuSeconds: number | null;
  graceSeconds: number;
  memoryMb: number;
  processes: number;
  outputBytes: number;
  diskMb: number;
  files: number;
}

/** Hard limits of a run of the unmodified version. */
export function runLimits(task: Task): Limits {
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
