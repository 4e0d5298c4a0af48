import { updateIdOf } from '../../domain/trial/ids.ts';
import { FLOOR, floorOf } from '../../domain/floor/floor.ts';
import { lastRun, listOpenRuns, type OpenRun } from '../../infra/temporal/open-runs.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'warn'>;

/** Open workflows that older code has begun. Costs one call where there are none. */
export async function findOldRuns(from: From): Promise<OpenRun[]> {
  const suspects = (await listOpen(from)).filter(({ memo }) => floorOf(memo) < FLOOR);
  return filterOldRuns(from, suspects);
}

/** Of some workflows those that are open, and old by what the server itself says of them. */
export async function filterOldRuns({ client }: Pick<From, 'client'>, suspects: Omit<OpenRun, 'runId' | 'memo'>[]) {
  const found = await Promise.all(
    suspects.map(async ({ type, workflowId }): Promise<OpenRun[]> => {
      const last = await lastRun(client, workflowId);
      if (!last?.isOpen || floorOf(last.memo) >= FLOOR) return [];
      const run = { type, workflowId, runId: last.runId, memo: last.memo };
      return (await isFresh({ client }, run)) ? [] : [run];
    }),
  );
  return found.flat();
}

/** A research or a job that somebody has just started, and nobody has taken up: it is begun by this version. */
async function isFresh({ client }: Pick<From, 'client'>, run: OpenRun): Promise<boolean> {
  // Arguments of a trial, and those that a run of a chain is handed, are of the older version.
  if (run.type === 'trial' || run.type === 'update') return false;
  const { isBegun, isContinued } = await readHistory(client, run);
  return !isBegun && !isContinued;
}

/** By Temporal's list, or, where it gives none, by the database. */
async function listOpen({ client, store, warn }: From): Promise<Pick<OpenRun, 'type' | 'workflowId' | 'memo'>[]> {
  try {
    return await listOpenRuns(client);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`Temporal does not list the open workflows (${why}): those that the database knows are asked for one by one`);
    const { researchIds, trialIds } = await store.research.findOpenIds();
    const [jobIds, due] = [await store.job.findOpenJobs(), await store.learning.findDueUpdates()];
    return [
      ...researchIds.map((workflowId) => ({ type: 'research' as const, workflowId, memo: undefined })),
      ...trialIds.map((workflowId) => ({ type: 'trial' as const, workflowId, memo: undefined })),
      ...due.map(({ researchId, k }) => ({
        ...{ type: 'update' as const, workflowId: updateIdOf(researchId, k), memo: undefined },
      })),
      ...jobIds.map((workflowId) => ({ type: 'job' as const, workflowId, memo: undefined })),
    ];
  }
}
