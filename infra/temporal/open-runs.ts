import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';

const TYPES = ['research', 'trial', 'job', 'update'] as const satisfies (keyof typeof WORKFLOWS)[];

export interface OpenRun {
  type: (typeof TYPES)[number];
  workflowId: string;
  runId: string;
  /** As the list or the server itself tells it; the list may be behind, or leave it out. */
  memo: Record<string, unknown> | undefined;
}

/** Open workflows of Perpetua; throws where the server does not list them. */
export async function listOpenRuns(client: Client): Promise<OpenRun[]> {
  const types = TYPES.map((type) => `'${WORKFLOWS[type]}'`).join(', ');
  const query = `WorkflowType IN (${types}) AND TaskQueue IN ('${QUEUES.main}', '${QUEUES.trial}') AND ExecutionStatus = 'Running'`;
  const runs: OpenRun[] = [];
  for await (const { type, workflowId, runId, memo } of client.workflow.list({ query }))
    if (isOwn(type)) runs.push({ type, workflowId, runId, memo });
  return runs;
}

const isOwn = (type: string): type is OpenRun['type'] => TYPES.some((one) => one === type);

/** The last run of a workflow, and how it stands; null where the server has none. */
export async function lastRun(client: Client, workflowId: string) {
  try {
    const described = await client.workflow.getHandle(workflowId).describe();
    const { runId, memo, status } = described;
    const isOpen = status.name === 'RUNNING' || status.name === 'PAUSED';
    const shown = async () => ({
      staticSummary: await described.staticSummary(),
      staticDetails: await described.staticDetails(),
    });
    return {
      runId,
      memo,
      isOpen,
      isTerminated: status.name === 'TERMINATED',
      shown,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Ends a run, with the reason; one that has ended by itself is left as it is. */
export async function endRun(client: Client, { workflowId, runId }: OpenRun, reason: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId, runId).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Asks the last run of a workflow to come to an end; one that has ended by itself is left as it is. */
export async function cancelRun(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

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
