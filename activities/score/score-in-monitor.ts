import { log } from '@temporalio/activity';
import type { TrialEnded } from '../../domain/trial.ts';
import { isCancelRequested } from '../with-heartbeat.ts';
import type { ScoreInput, ScoreTrial } from '../score.ts';

/** Limits the runs that a worker scores in `monitor`, beside those from its queue of scores. */
export interface ScorePlaces {
  /** Takes a place and returns the function that frees it; undefined if none is free. */
  enter: () => (() => void) | undefined;
}

export function createScorePlaces(most: number): ScorePlaces {
  let free = most;
  return {
    enter: () => {
      if (free === 0) return undefined;
      free -= 1;
      return () => void (free += 1);
    },
  };
}

/**
 * Scores a run in the activity that followed it to its end, which saves a round trip through the Temporal server. Null
 * if no place is free or scoring fails: the ordinary activity then waits for a place, retries, waits for hosts that are
 * away, and shows in the Web UI.
 */
export async function scoreInMonitor(
  key: ScoreInput & { follower: number },
  { places, score, signal }: { places: ScorePlaces; score: ScoreTrial; signal: AbortSignal },
): Promise<TrialEnded | null> {
  const leave = places.enter();
  if (!leave) return null;
  try {
    return await score(key, signal);
  } catch (error) {
    // After a worker's shutdown the score activity runs on another worker; only a requested cancel is passed on.
    if (isCancelRequested()) throw error;
    log.info('scored by an activity of its own instead', { ...key, error: String(error) });
    return null;
  } finally {
    leave();
  }
}
