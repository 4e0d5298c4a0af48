import { withLock } from '../../db/connect.ts';
import { END_REASON } from '../../domain/floor/floor.ts';
import { endRun, type OpenRun } from '../../infra/temporal/open-runs.ts';
import { startNotedRestarts } from './start-noted-restarts.ts';
import { findOldRuns, filterOldRuns } from './find-old-runs.ts';
import type { FloorDeps } from './floor-deps.ts';
import { noteRestarts } from './note-restarts.ts';

/** Key of the advisory lock (any number): one process at a time raises the floor of a database. */
const LOCK = 7_305_119;

/**
 * Terminates open workflows that older code started, and starts them again from the database, before this worker polls
 * for any. Each step is stored first: after a death the next worker does the rest.
 */
export async function raiseFloor(deps: FloorDeps): Promise<void> {
  const old = await findOldRuns(deps);
  if (old.length === 0 && (await deps.store.research.findRestarts()).length === 0) return;
  await withLock(deps.databaseUrl, LOCK, async () => {
    // Another worker may have raised the floor meanwhile.
    const noted = await noteRestarts(deps, await findOldAndTrials(deps));
    for (const run of noted) await endRun(deps.client, run, END_REASON);
    if (noted.length > 0) deps.reach('old-ended');
    await startNotedRestarts(deps);
  });
}

/**
 * Old runs, with unfinished trials of the old researches: a trial that just began may not be in Temporal's list yet.
 */
async function findOldAndTrials(deps: FloorDeps): Promise<OpenRun[]> {
  const old = await findOldRuns(deps);
  const researches = old.filter(({ type }) => type === 'research');
  const unfinished = await Promise.all(
    researches.map(({ workflowId }) => deps.store.research.findUnfinished(workflowId)),
  );
  const unlisted = unfinished
    .flat()
    .map(({ trialId }) => ({ type: 'trial' as const, workflowId: trialId }))
    .filter(({ workflowId }) => old.every((run) => run.workflowId !== workflowId));
  return [...old, ...(await filterOldRuns(deps, unlisted))];
}
