import type { Client } from '@temporalio/client';

/** Describes the latest run of a workflow id; null if Temporal has none. */
export const describeWorkflow = (client: Client, workflowId: string) =>
  client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
      throw error;
    });
