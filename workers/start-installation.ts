import type { Client } from '@temporalio/client';
import { INSTALLATION_ID, QUEUES, WORKFLOWS } from '../domain/messages/names.ts';

/** Starts the workflow of the installation. If it runs already, it goes on as it was started. */
export async function startInstallation(client: Client): Promise<void> {
  await client.workflow.start(WORKFLOWS.installation, {
    workflowId: INSTALLATION_ID,
    taskQueue: QUEUES.main,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [],
    staticSummary: 'Sends messages, and watches for what needs a person',
  });
}
