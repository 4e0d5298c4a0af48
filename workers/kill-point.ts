import { readFileSync, unlinkSync } from 'node:fs';
import type { KillPoint } from '../activities/deps.ts';

/** Suffix of a point's name: the process stops there until it is continued. */
const STOPS = ':stop';

/**
 * Hook for tests that kills its own process with SIGKILL, or stops it with SIGSTOP, at the point whose name is in the
 * file. The file can be written at any time, and the first process that it affects removes it. Without a file the hook
 * does nothing.
 */
export function createKillPoint(file: string | null): (point: KillPoint) => void {
  if (file === null) return () => undefined;
  return (point) => {
    const requested = read(file);
    if ((requested !== point && requested !== `${point}${STOPS}`) || !take(file)) return;
    process.kill(process.pid, requested === point ? 'SIGKILL' : 'SIGSTOP');
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // No test requests a kill now.
  }
}

function take(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false; // Another process took the file first.
  }
}
