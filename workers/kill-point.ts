import { readFileSync, unlinkSync } from 'node:fs';
import type { KillPoint } from '../activities/deps.ts';

/** Behind the name of a point: the process only stands still there, until somebody lets it go on. */
const STOPS = ':stop';

/**
 * A hook that kills its own process with SIGKILL at the point whose name is in the file, or stops it with SIGSTOP, for the
 * tests. The file can be written at any time, and goes with the first process that it strikes; without one the hook does
 * nothing.
 */
export function createKillPoint(file: string | null): (point: KillPoint) => void {
  if (file === null) return () => undefined;
  return (point) => {
    const asked = read(file);
    if ((asked !== point && asked !== `${point}${STOPS}`) || !take(file)) return;
    process.kill(process.pid, asked === point ? 'SIGKILL' : 'SIGSTOP');
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // No test asks for a death now.
  }
}

function take(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false; // Another process was struck first.
  }
}
