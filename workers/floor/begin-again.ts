import type { PendingRestart } from '../../db/research/restart.ts';
import { WORKFLOW_TASK_MS } from '../../domain/hand-over.ts';
import { QUEUES } from '../../domain/names.ts';
import { lastRun } from '../../infra/temporal/open-runs.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store'>;

/** Begins what was ended, whoever noted it. Repeated, it does the rest. */
export async function beginAgain(from: From): Promise<void> {
  for (const row of await from.store.research.findRestarts()) await beginOne(from, row);
}

async function beginOne({ client, store }: From, row: PendingRestart): Promise<void> {
  const { workflowId, type, runId } = row;
  const last = await lastRun(client, workflowId);
  const isOurs = last === null || (last.runId === runId && last.isTerminated);
  if (isOurs) await start(client, row);
  // A research keeps its row until a run of it has heard what was left. One that ended by itself needs nothing more.
  if (type === 'trial' || (!isOurs && last.runId === runId && !last.isOpen))
    await store.research.forgetRestart(workflowId);
}

async function start(client: From['client'], { workflowId, type, start: { args, ...shown } }: PendingRestart) {
  await client.workflow.start(type, {
    ...shown,
    workflowId,
    taskQueue: type === 'research' ? QUEUES.main : QUEUES.trial,
    args: [args],
    // Somebody else may have been faster.
    workflowIdConflictPolicy: 'USE_EXISTING',
    ...(type === 'research' ? { workflowTaskTimeout: WORKFLOW_TASK_MS } : {}),
  });
}
