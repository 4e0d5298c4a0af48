import type { Client } from '@temporalio/client';

/** The latest run under that id; null where Temporal has none. */
export const describeWorkflow = (client: Client, workflowId: string) =>
  client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
      throw error;
    });
