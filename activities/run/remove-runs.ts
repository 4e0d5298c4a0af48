import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { PickDeps, PickStatements } from '../deps.ts';

interface Place {
  trialId: string;
  placement: number;
  host: string;
}

/** Longest time for which the end of a trial waits for other hosts than its own. */
const PATIENCE_MS = 5000;

type Deps = PickDeps<'hosts', 'computeOf'> & PickStatements<'run', 'findEarlierPlacements'>;

/** Placements of another job than a trial before its last one that may have left something there: a server has removed older ones. */
const OF_A_JOB = 32;

/**
 * Removes the run directories of a trial's placements up to this one. One that cannot be removed (a candidate may nest
 * folders until no path reaches them) is left to `perpetua clean`: the outcome is stored, and counts. Other hosts go on
 * where they take longer. False where one on this host stays: something may live in it by now.
 */
export async function removeRuns(
  deps: Deps,
  of: Place,
  patience = (): Promise<unknown> => sleep(PATIENCE_MS, undefined, { ref: false }),
): Promise<boolean> {
  const first = isTrialId(of.trialId) ? 0 : Math.max(0, of.placement - OF_A_JOB);
  const here = Array.from({ length: of.placement + 1 - first }, (_, at) => ({ ...of, placement: first + at }));
  const [isRemoved] = await Promise.all([
    removeEach(deps, here),
    Promise.race([removeElsewhere(deps, of), patience()]),
  ]);
  return isRemoved;
}

/** Of a host that is away what is left is removed when it is back. */
async function removeElsewhere(deps: Deps, of: Place): Promise<void> {
  if (of.placement === 0) return;
  try {
    const places = (await deps.store.run.findEarlierPlacements(of)).filter(({ host }) => host !== of.host);
    await Promise.all(places.map((one) => removeEach(deps, [one])));
  } catch (error) {
    log.warn('earlier placements could not be looked for', { ...of, error: String(error) });
  }
}

async function removeEach(deps: PickDeps<'hosts', 'computeOf'>, places: readonly Place[]): Promise<boolean> {
  let isRemoved = true;
  for (const { trialId, placement, host } of places)
    try {
      await deps.hosts.computeOf(host).remove({ trialId, placement });
    } catch (error) {
      isRemoved = false;
      log.warn('a run directory could not be removed', { trialId, placement, host, error: String(error) });
    }
  return isRemoved;
}
