import type { Client } from '@temporalio/client';
import { parseTrialId } from '../../domain/trial/ids.ts';

/** A workflow of a research, its trials' and updates' among them. */
interface Execution {
  workflowId: string;
  runId: string;
}

/** Workflows of a research that Temporal still has: those that are closed, and ids of those that are open. */
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

/** The id of another research may begin with this one's and a slash. */
export const belongsToResearch = (workflowId: string, id: string): boolean =>
  workflowId === id ||
  parseTrialId(workflowId)?.researchId === id ||
  /^\/update-\d+$/.test(workflowId.slice(id.length));

/** Has Temporal forget closed workflows; returns how many. */
export async function deleteHistories(client: Client, closed: readonly Execution[]): Promise<number> {
  const { namespace } = client.options;
  for (const workflowExecution of closed)
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }).catch((error: unknown) => {
      // It was forgotten by itself meanwhile.
      if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    });
  return closed.length;
}

/** Of gRPC. */
const NOT_FOUND = 5;
