import type { Client } from '@temporalio/client';
import { parseTrialId } from '../../domain/trial/ids.ts';

/** A workflow of a research, of one of its trials, or of one of its updates. */
interface Execution {
  workflowId: string;
  runId: string;
}

/** Finds the workflows of a research that Temporal still has: closed workflows, and the ids of open workflows. */
export async function findHistories(client: Client, id: string): Promise<{ closed: Execution[]; open: string[] }> {
  const closed: Execution[] = [];
  const open: string[] = [];
  const query = `WorkflowId = "${id}" or WorkflowId starts_with "${id}/"`;
  for await (const { workflowId, runId, status } of client.workflow.list({ query })) {
    if (!belongsToResearch(workflowId, id)) continue;
    if (status.name === 'RUNNING' || status.name === 'PAUSED') open.push(workflowId);
    else closed.push({ workflowId, runId });
  }
  return { closed, open };
}

/** True if a workflow belongs to the research. The id of another research may begin with this id and a slash. */
export const belongsToResearch = (workflowId: string, id: string): boolean =>
  workflowId === id ||
  parseTrialId(workflowId)?.researchId === id ||
  /^\/update-\d+$/.test(workflowId.slice(id.length));

/** Deletes closed workflows from Temporal; returns their number. */
export async function deleteHistories(client: Client, closed: readonly Execution[]): Promise<number> {
  const { namespace } = client.options;
  for (const workflowExecution of closed)
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }).catch((error: unknown) => {
      // The retention of its namespace has removed it meanwhile.
      if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    });
  return closed.length;
}

/** Status code of gRPC. */
const NOT_FOUND = 5;
