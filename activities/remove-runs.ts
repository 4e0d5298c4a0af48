import { log } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';

/**
 * Removes the run directories of a trial's placements up to this one. One that cannot be removed (a candidate may nest
 * folders until no path reaches them) is left to `perpetua clean`: the outcome is stored, and counts.
 */
export async function removeRuns(
  deps: Pick<ActivityDeps, 'computeOf'>,
  of: { trialId: string; placement: number; host: string },
): Promise<void> {
  for (let placement = 0; placement <= of.placement; placement += 1)
    try {
      await deps.computeOf(of.host).remove({ trialId: of.trialId, placement });
    } catch (error) {
      log.warn('a run directory could not be removed', { trialId: of.trialId, placement, error: String(error) });
    }
}
