import type { Restart } from '../job.ts';

/** Doublings after which any pause is the longest; more would leave the numbers. */
const MOST_DOUBLINGS = 64;

/**
 * Seconds from the end of a server's run to the next one. `failed`: runs that ended since the last good one, with the last one; 0
 * where that was good.
 */
export function restartPause({ firstSeconds, mostSeconds }: Restart, failed: number): number {
  const doublings = Math.min(MOST_DOUBLINGS, Math.max(0, failed - 1));
  return Math.min(mostSeconds, firstSeconds * 2 ** doublings);
}
