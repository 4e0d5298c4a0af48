import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';

const TYPES = ['research', 'trial', 'job', 'update', 'installation'] as const satisfies (keyof typeof WORKFLOWS)[];

export interface OpenRun {
  type: (typeof TYPES)[number];
  workflowId: string;
  runId: string;
  /** Memo of the run; undefined or outdated if it comes from the list. */
  memo: Record<string, unknown> | undefined;
}

/** Lists the open workflows of Perpetua; throws if the server does not list workflows. */
export async function listOpenRuns(client: Client): Promise<OpenRun[]> {
  const types = TYPES.map((type) => `'${WORKFLOWS[type]}'`).join(', ');
  const queues = `'${QUEUES.main}', '${QUEUES.trial}'`;
  const query = `WorkflowType IN (${types}) AND TaskQueue IN (${queues}) AND ExecutionStatus = 'Running'`;
  const runs: OpenRun[] = [];
  for await (const { type, workflowId, runId, memo } of client.workflow.list({ query }))
    if (isOwn(type)) runs.push({ type, workflowId, runId, memo });
  return runs;
}

const isOwn = (type: string): type is OpenRun['type'] => TYPES.some((one) => one === type);

/** Reads the last run of a workflow and its status; null if the server has none. */
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

/** Terminates a run with a reason; no effect on an ended run. */
export async function endRun(client: Client, { workflowId, runId }: OpenRun, reason: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId, runId).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Requests cancellation of the last run of a workflow; no effect on an ended run. */
export async function cancelRun(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Longest age of a poll from a living worker, which polls each minute. The server lists pollers of five minutes. */
const SEEN_WITHIN_MS = 70_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY. */
const KINDS = [1, 2] as const;

/** Names of the workers that polled one of the queues within the last 70 s. */
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
