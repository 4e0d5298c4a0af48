import type { Restart } from '../job.ts';

/** Doublings after which any pause is the longest; more would leave the numbers. */
const MOST_DOUBLINGS = 64;

/**
 * Seconds from the end of a server's run to the next one. `unready`: runs that ended since one was ready, and were not, with
 * that one; 0 where the last one was.
 */
export function restartPause({ firstSeconds, mostSeconds }: Restart, unready: number): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, unready - 1));
  return Math.min(mostSeconds, firstSeconds * 2 ** doublings);
}
