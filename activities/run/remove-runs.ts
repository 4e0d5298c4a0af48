import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { isTrialId } from '../../domain/trial/ids.ts';
import type { PickDeps, PickStatements } from '../deps.ts';

interface PlacedRun {
  jobId: string;
  placement: number;
  host: string;
}

/** Longest time for which the end of a trial waits for hosts of its earlier placements. */
const PATIENCE_MS = 5000;

type Deps = PickDeps<'hosts', 'computeOf'> & PickStatements<'run', 'findEarlierPlacements'>;

/** Last placements of a server or command whose directories are removed; a server removes older ones while it runs. */
const OF_A_JOB = 32;

/**
 * Removes the run directories of a job's placements up to this one. A directory that cannot be removed, for example
 * because a candidate nested folders until no path reaches them, is left to `perpetua clean`. Removal on other hosts
 * goes on in the background if it takes long. Returns false if a directory on this host remains: a run may be alive in
 * it.
 */
export async function removeRuns(
  deps: Deps,
  run: PlacedRun,
  patience = (): Promise<unknown> => sleep(PATIENCE_MS, undefined, { ref: false }),
): Promise<boolean> {
  const first = isTrialId(run.jobId) ? 0 : Math.max(0, run.placement - OF_A_JOB);
  const here = Array.from({ length: run.placement + 1 - first }, (_, i) => ({ ...run, placement: first + i }));
  const [isRemoved] = await Promise.all([
    removeEach(deps, here),
    Promise.race([removeElsewhere(deps, run), patience()]),
  ]);
  return isRemoved;
}

/** Removes the directories of earlier placements on other hosts. A host that is away removes them when it is back. */
async function removeElsewhere(deps: Deps, run: PlacedRun): Promise<void> {
  if (run.placement === 0) return;
  try {
    const earlier = (await deps.store.run.findEarlierPlacements(run)).filter(({ host }) => host !== run.host);
    await Promise.all(earlier.map((placed) => removeEach(deps, [placed])));
  } catch (error) {
    log.warn('earlier placements could not be looked for', { ...run, error: String(error) });
  }
}

async function removeEach(deps: PickDeps<'hosts', 'computeOf'>, runs: readonly PlacedRun[]): Promise<boolean> {
  let isRemoved = true;
  for (const { jobId, placement, host } of runs)
    try {
      await deps.hosts.computeOf(host).remove({ jobId, placement });
    } catch (error) {
      isRemoved = false;
      log.warn('a run directory could not be removed', { jobId, placement, host, error: String(error) });
    }
  return isRemoved;
}
