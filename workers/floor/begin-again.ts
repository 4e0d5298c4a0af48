import type { PendingRestart } from '../../db/research/restart.ts';
import { WORKFLOW_TASK_MS } from '../../domain/research/hand-over.ts';
import { AFTER_MEMO, afterOf } from '../../domain/floor/floor.ts';
import { QUEUES } from '../../domain/names.ts';
import { cancelRun, lastRun } from '../../infra/temporal/open-runs.ts';
import type { FloorDeps } from './floor-deps.ts';

type From = Pick<FloorDeps, 'client' | 'store' | 'warn'>;

/** Begins what was ended, whoever noted it. Repeated, it does the rest; one that cannot be begun keeps no other from it. */
export async function beginAgain(from: From): Promise<void> {
  for (const row of await from.store.research.findRestarts())
    await beginOne(from, row).catch(async (error: unknown) => {
      const message = `${row.workflowId} was ended since an older version began it, and could not be begun again: ${String(error)}; start it by hand, or start a worker again`;
      from.warn(message);
      await from.store.research.insertAlert({ researchId: row.workflowId, message, once: true });
    });
}

async function beginOne({ client, store }: From, row: PendingRestart): Promise<void> {
  const { workflowId, type, runId, left } = row;
  const last = await lastRun(client, workflowId);
  // Refused to a person who was faster, before it heard of what was left for the one that is begun here.
  const isOthers = type === 'research' && last?.isFailed === true && afterOf(last.memo) !== runId;
  const isOurs = last === null || (last.runId === runId ? last.isTerminated : isOthers);
  if (isOurs) await start(client, row);
  // A research hears of it by itself.
  if (type === 'job' && left?.stopping && (isOurs || last.isOpen)) await cancelRun(client, workflowId);
  // A research keeps its row until a run of it has heard what was left. One that ended by itself needs nothing more, and
  // where a later run is over without having heard, nobody is to act on it any more.
  if (type !== 'research' || (!isOurs && !last.isOpen)) await store.research.forgetRestart(workflowId);
}

async function start(client: From['client'], row: PendingRestart) {
  const { workflowId, type, runId } = row;
  const { args, memo, ...shown } = row.start;
  const isResearch = type === 'research';
  await client.workflow.start(type, {
    ...shown,
    memo: { ...memo, ...(isResearch ? { [AFTER_MEMO]: runId } : {}) },
    workflowId,
    taskQueue: type === 'trial' ? QUEUES.trial : QUEUES.main,
    args: [args],
    // A person, or another worker, may have been faster.
    workflowIdConflictPolicy: 'USE_EXISTING',
    ...(isResearch ? { workflowTaskTimeout: WORKFLOW_TASK_MS } : {}),
  });
}
