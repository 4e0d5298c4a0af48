import { QUEUES } from '../domain/messages.ts';
import { withTemporal } from './context.ts';
import type { Io } from './io.ts';

const LIMIT_MS = 2000;

/** What only Temporal knows. `notes` are for people; `finding` is set where the research cannot go on by itself. */
export interface Asked {
  finding: string | null;
  notes: string[];
}

/** Asks whether the workflow is open and a worker polls, within two seconds; whatever goes wrong becomes a note. */
export async function askTemporal(io: Io, researchId: string): Promise<Asked> {
  const late = new Promise<Asked>((resolve) => {
    setTimeout(() => resolve(silent('it did not answer within 2 s')), LIMIT_MS).unref();
  });
  const asked = withTemporal(
    io,
    async ({ client, address }) => {
      const described = await client.workflow.getHandle(researchId).describe();
      const status = described.status.name;
      if (status !== 'RUNNING')
        return found(
          `the workflow is closed (${status.toLowerCase()}); go on with: perpetua start … --id ${researchId}`,
        );
      const queue = await client.workflowService.describeTaskQueue({
        namespace: address.namespace,
        taskQueue: { name: QUEUES.main },
        taskQueueType: 1,
      });
      return (queue.pollers ?? []).length > 0
        ? { finding: null, notes: [] }
        : found('no worker polls; start one: perpetua worker');
    },
    LIMIT_MS / 1000,
  ).catch((error: unknown) =>
    error instanceof Error && error.name === 'WorkflowNotFoundError'
      ? found(`Temporal has no workflow ${researchId}; go on with: perpetua start … --id ${researchId}`)
      : silent(error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([asked, late]);
}

const found = (finding: string): Asked => ({ finding, notes: [finding] });
const silent = (why: string): Asked => ({ finding: null, notes: [`Temporal was not asked: ${why}`] });
