import { LEAST_FREE_BYTES } from '../fault/disk-space.ts';
import type { Task } from './task.ts';

const FLOOR_MB = LEAST_FREE_BYTES / 1024 / 1024;

/** Why a run of that task can never begin on a disk of so many MiB in all, in words; null where it may, or nobody knows. */
export function diskShortage(task: Task, diskMb: number | null): string | null {
  const wanted = task.run.resources.diskMb;
  if (diskMb === null || FLOOR_MB + wanted <= diskMb) return null;
  const most = Math.max(0, diskMb - FLOOR_MB);
  return `run.resources.diskMb: expected at most ${most} (the disk of the runs has ${diskMb} MiB in all, ${FLOOR_MB} of them stay free), came ${wanted}; lower it, or put PERPETUA_HOME on a larger disk`;
}
