import { existsSync, writeFileSync } from 'node:fs';
import type { KillPoint } from '../activities/deps.ts';

/** Behind the name of a point: the process only stands still there, until somebody lets it go on. */
const STOPS = ':stop';

/**
 * A hook that kills its own process with SIGKILL at one named point, or stops it with SIGSTOP, once, for the tests. The
 * file remembers across restarts that it happened; without both settings the hook does nothing.
 */
export function createKillPoint(kill: { at: string | null; once: string | null }): (point: KillPoint) => void {
  const { at, once } = kill;
  if (at === null || once === null) return () => undefined;
  const stops = at.endsWith(STOPS);
  const place = stops ? at.slice(0, -STOPS.length) : at;
  return (point) => {
    if (point !== place || existsSync(once)) return;
    writeFileSync(once, point);
    process.kill(process.pid, stops ? 'SIGSTOP' : 'SIGKILL');
  };
}
