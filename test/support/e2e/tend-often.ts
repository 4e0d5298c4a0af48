import { INSTALLATION_ID, QUEUES, WORKFLOWS } from '../../../domain/messages/names.ts';
import type { TestStack } from '../stack.ts';

/** Replaces the workflow of the installation by one that has a turn each 300 ms, and continues as new after ten. */
export async function tendOften({ client }: Pick<TestStack, 'client'>): Promise<void> {
  await client.workflow.start(WORKFLOWS.installation, {
    workflowId: INSTALLATION_ID,
    taskQueue: QUEUES.main,
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    args: [{ everyMs: 300, turns: 10 }],
  });
}
