import { LEAST_FREE_BYTES } from '../fault/disk-space.ts';
import type { Task } from './task.ts';

const FLOOR_MB = LEAST_FREE_BYTES / 1024 / 1024;

/** The reason why a task's run can never start on a disk of `diskMb` MiB; null if it can, or if the size is unknown. */
export function diskShortage(task: Task, diskMb: number | null): string | null {
  const wanted = task.run.resources.diskMb;
  if (diskMb === null || FLOOR_MB + wanted <= diskMb) return null;
  const most = Math.max(0, diskMb - FLOOR_MB);
  return (
    `run.resources.diskMb: expected at most ${most} (the disk of the runs has ${diskMb} MiB in all, ` +
    `${FLOOR_MB} of them stay free), got ${wanted}; lower it, or put PERPETUA_HOME on a larger disk`
  );
}
