import { updateIdOf } from '../../domain/trial/ids.ts';
import { FLOOR, floorOf } from '../../domain/floor/floor.ts';
import { INSTALLATION_ID } from '../../domain/messages/names.ts';
import { lastRun, listOpenRuns, type OpenRun } from '../../infra/temporal/open-runs.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'warn'>;

/** Open workflows that older code started. Costs one call if there are none. */
export async function findOldRuns(from: From): Promise<OpenRun[]> {
  const suspects = (await listOpen(from)).filter(({ memo }) => floorOf(memo) < FLOOR);
  return filterOldRuns(from, suspects);
}

/** Workflows among the suspects that are open and, by the server's description of each, old. */
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

/** True for a research or a job that was just started and has not begun: this version begins it. */
async function isFresh({ client }: Pick<From, 'client'>, run: OpenRun): Promise<boolean> {
  // The arguments of a trial, and those that continue-as-new passed on, are in the older version's form.
  if (run.type === 'trial' || run.type === 'update') return false;
  const { isBegun, isContinued } = await readHistory(client, run);
  return !isBegun && !isContinued;
}

/** Open workflows from Temporal's list; if the list fails, from the database. */
async function listOpen({ client, store, warn }: From): Promise<Pick<OpenRun, 'type' | 'workflowId' | 'memo'>[]> {
  try {
    return await listOpenRuns(client);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(`Temporal does not list the open workflows (${why}); the worker checks each workflow of the database instead`);
    const { researchIds, trialIds } = await store.research.findOpenIds();
    const [jobIds, due] = [await store.job.findOpenJobs(), await store.learning.findDueUpdates()];
    return [
      ...researchIds.map((workflowId) => ({ type: 'research' as const, workflowId, memo: undefined })),
      ...trialIds.map((workflowId) => ({ type: 'trial' as const, workflowId, memo: undefined })),
      ...due.map(({ researchId, k }) => ({
        type: 'update' as const,
        workflowId: updateIdOf(researchId, k),
        memo: undefined,
      })),
      { type: 'installation' as const, workflowId: INSTALLATION_ID, memo: undefined },
      ...jobIds.map((workflowId) => ({ type: 'job' as const, workflowId, memo: undefined })),
    ];
  }
}
