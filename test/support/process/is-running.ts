import { readFileSync } from 'node:fs';

/** True for a process that lives; one that waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
