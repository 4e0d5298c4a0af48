import type { FollowedRun } from '../../db/run/run.ts';

/**
 * The run with its launch on the clock of this process, which times its lines: the database's may be seconds off, and the
 * lines would seem to have come late, or before the launch.
 */
export function byOwnClock(run: FollowedRun, now = Date.now()): FollowedRun {
  return run.secondsAgo === null ? run : { ...run, launchedAt: new Date(now - run.secondsAgo * 1000) };
}
