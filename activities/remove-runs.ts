import { log } from '@temporalio/activity';
import type { ActivityDeps } from './deps.ts';

interface Place {
  trialId: string;
  placement: number;
  host: string;
}

/**
 * Removes the run directories of a trial's placements up to this one. One that cannot be removed (a candidate may nest
 * folders until no path reaches them) is left to `perpetua clean`: the outcome is stored, and counts.
 */
export async function removeRuns(
  deps: Pick<ActivityDeps, 'computeOf'> & { store: Pick<ActivityDeps['store'], 'findEarlierPlaces'> },
  of: Place,
): Promise<void> {
  const here = Array.from({ length: of.placement + 1 }, (_, placement) => ({ ...of, placement }));
  // Of a host that is away what is left is removed when it is back.
  const elsewhere =
    of.placement === 0 ? [] : (await deps.store.findEarlierPlaces(of)).filter(({ host }) => host !== of.host);
  await Promise.all([removeEach(deps, here), ...elsewhere.map((one) => removeEach(deps, [one]))]);
}

async function removeEach(deps: Pick<ActivityDeps, 'computeOf'>, places: readonly Place[]): Promise<void> {
  for (const { trialId, placement, host } of places)
    try {
      await deps.computeOf(host).remove({ trialId, placement });
    } catch (error) {
      log.warn('a run directory could not be removed', { trialId, placement, host, error: String(error) });
    }
}
