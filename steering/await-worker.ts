import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES } from '../domain/messages/names.ts';
import type { Temporal } from './with-client.ts';

/**
 * Age of a poll after which its worker counts as gone. The server lists workers that polled in the last five minutes,
 * dead ones too; a worker that waits for work renews its poll each minute. The times are the server's, whose clock may
 * differ from this machine's by minutes.
 */
const GONE_AFTER_MS = 180_000;
/** Longest wait for a new worker to be listed: the server lists it some seconds after its first poll. */
export const LISTED_MS = 10_000;
const POLL_MS = 200;
/** TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_TASKS = 1;

/** True if a worker polls for workflow tasks. A killed worker counts for some minutes more. */
export async function isWorkerPolling({ client }: Pick<Temporal, 'client'>, now: Date = new Date()): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: QUEUES.main },
    taskQueueType: WORKFLOW_TASKS,
  });
  return (pollers ?? []).some(
    ({ lastAccessTime }) => now.getTime() - Number(String(lastAccessTime?.seconds ?? 0)) * 1000 < GONE_AFTER_MS,
  );
}

/** Limits of a wait for a worker. */
export interface Patience {
  signal?: AbortSignal | undefined;
  openingTimeoutMs?: number | undefined;
}

/** Waits until a worker polls, since one may have been started just now. Returns false if none is listed in time. */
export async function awaitWorker(
  temporal: Pick<Temporal, 'client'>,
  { signal, openingTimeoutMs: patienceMs = LISTED_MS }: Patience = {},
): Promise<boolean> {
  const end = performance.now() + Math.min(patienceMs, LISTED_MS);
  while (!(await isWorkerPolling(temporal))) {
    if (performance.now() > end || signal?.aborted) return false;
    await sleep(POLL_MS);
  }
  return true;
}
