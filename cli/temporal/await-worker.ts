import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES } from '../../domain/messages/names.ts';
import type { Temporal } from '../context.ts';
import type { Io } from '../io.ts';

/**
 * The server lists who polled in the last five minutes, the dead too; a poll that waits for work is renewed each minute. The
 * times are the server's, and this machine's clock may be minutes away from them.
 */
const GONE_AFTER_MS = 180_000;
/** The server lists a worker some seconds after its first poll. */
export const LISTED_MS = 10_000;
const LOOK_MS = 200;
/** TASK_QUEUE_TYPE_WORKFLOW */
const WORKFLOW_TASKS = 1;

/** True while a worker takes up researches. One that was killed counts for some minutes more. */
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

/** The same, where one may have been started just now: looks until one is listed or the time is over. */
export async function awaitWorker(
  temporal: Pick<Temporal, 'client'>,
  { signal, openingTimeoutMs: patienceMs = LISTED_MS }: Pick<Io, 'signal' | 'openingTimeoutMs'> = {},
): Promise<boolean> {
  const end = performance.now() + Math.min(patienceMs, LISTED_MS);
  while (!(await isWorkerPolling(temporal))) {
    if (performance.now() > end || signal?.aborted) return false;
    await sleep(LOOK_MS);
  }
  return true;
}
