import { existsSync, writeFileSync } from 'node:fs';
import type { KillPoint } from '../activities/deps.ts';

/**
 * A hook that kills its own process with SIGKILL at one named point, once, for the tests. The file remembers across
 * restarts that it happened; without both settings the hook does nothing.
 */
export function createKillPoint(kill: { at: string | null; once: string | null }): (point: KillPoint) => void {
  const { at, once } = kill;
  if (at === null || once === null) return () => undefined;
  return (point) => {
    if (point !== at || existsSync(once)) return;
    writeFileSync(once, point);
    process.kill(process.pid, 'SIGKILL');
  };
}
