import type { Client } from '@temporalio/client';

/** A poll that waits for work is renewed each minute. The server lists who polled in the last five, the dead too. */
const SEEN_WITHIN_MS = 70_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY. */
const KINDS = [1, 2] as const;

/** Names of the workers that poll some of these queues, of those that were seen within the last 70 s. */
export async function listPollers(client: Client, queues: readonly string[], now = new Date()): Promise<string[]> {
  const asked = queues.flatMap((name) => KINDS.map((taskQueueType) => ({ name, taskQueueType })));
  const answers = await Promise.all(
    asked.map(({ name, taskQueueType }) =>
      client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name },
        taskQueueType,
      }),
    ),
  );
  const seen = answers
    .flatMap(({ pollers }) => pollers ?? [])
    .filter(
      ({ lastAccessTime }) => now.getTime() - Number(String(lastAccessTime?.seconds ?? 0)) * 1000 < SEEN_WITHIN_MS,
    );
  return [...new Set(seen.map(({ identity }) => identity ?? ''))].sort();
}
