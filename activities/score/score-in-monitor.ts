import { log } from '@temporalio/activity';
import type { TrialEnded } from '../../domain/trial.ts';
import { isCancelRequested } from '../with-heartbeat.ts';
import type { ScoreInput, ScoreTrial } from '../score.ts';

/** How many runs a worker scores besides those that its queue of scores gives it. */
export interface ScorePlaces {
  /** Takes a place and returns how to leave it; undefined where none is free. */
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
 * Scores a run in the activity that has just followed it to its end, which saves a round trip through the server. Null
 * where no place is free or something fails: the ordinary activity waits for a place, retries, judges hosts that are away,
 * and shows in the Web UI.
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
    // Where the worker stops, another one scores.
    if (isCancelRequested()) throw error;
    log.info('scored by an activity of its own instead', { ...key, error: String(error) });
    return null;
  } finally {
    leave();
  }
}
