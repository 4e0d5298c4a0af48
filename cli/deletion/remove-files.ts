import type { Config } from '../../config/load.ts';
import type { Deleted } from '../../db/research/delete-research.ts';
import { pathExists } from '../../infra/files.ts';
import { layoutOf, runDirectory } from '../../infra/compute/run-protocol/paths.ts';
import { openCheckpoints } from '../../infra/policy/checkpoints.ts';
import type { Compute } from '../../infra/compute.ts';

/** Result of a removal of files on this machine: counts, and run directories that could not be removed. */
export interface RemovedFiles {
  checkpoints: number;
  runs: number;
  failed: { name: string; reason: string }[];
}

/**
 * Removes the files on this machine of a research whose rows are deleted. If this process dies before the end,
 * `perpetua clean` removes the rest.
 */
export async function removeFiles(
  { stepKeys, runs }: Pick<Deleted, 'stepKeys' | 'runs'>,
  { home }: Pick<Config, 'home'>,
  { compute, installation, host }: { compute: Compute; installation: string; host: string | null },
): Promise<RemovedFiles> {
  const removed: RemovedFiles = { checkpoints: 0, runs: 0, failed: [] };
  const checkpoints = openCheckpoints(home);
  const existing = new Set(await checkpoints.list());
  for (const stepKey of stepKeys.filter((key) => existing.has(key))) {
    await checkpoints.remove(stepKey);
    removed.checkpoints += 1;
  }
  const layout = layoutOf(home, installation);
  for (const run of runs.filter((candidate) => candidate.host === host)) {
    if (!(await pathExists(runDirectory(layout, run)))) continue;
    try {
      await compute.remove(run);
      removed.runs += 1;
    } catch (error) {
      removed.failed.push({ name: run.jobId, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return removed;
}
