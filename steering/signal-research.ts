import type { Client } from '@temporalio/client';
import { SIGNALS } from '../domain/messages/names.ts';
import { SteeringError } from './steering-error.ts';
import type { Temporal } from './with-client.ts';

export interface Signal {
  /** Id of the research. */
  id: string;
  name: Exclude<keyof typeof SIGNALS, 'trialEnded'>;
  args?: readonly unknown[];
}

/** Sends a signal to a research. Throws SteeringError `refused` if no workflow of it runs. */
export async function signalResearch({ client, address }: Temporal, { id, name, args = [] }: Signal): Promise<void> {
  try {
    await client.workflow.getHandle(id).signal(SIGNALS[name], ...args);
  } catch (error) {
    // The server returns the same error for an unknown id and for a closed workflow.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError')
      throw new SteeringError(
        'refused',
        `Expected a running research ${id} on ${address.address} (namespace ${address.namespace}), ` +
          `found ${await endOf(client, id)}. ` +
          `See \`npx perpetua list\`. To start it, or to go on with it: \`npx perpetua start <task> --id ${id}\`.`,
      );
    throw error;
  }
}

/** Describes a research without a running workflow: the end time of its last workflow, or none. */
const endOf = (client: Client, id: string): Promise<string> =>
  client.workflow
    .getHandle(id)
    .describe()
    .then(
      ({ closeTime }) => (closeTime ? `one that ended at ${closeTime.toISOString().slice(0, 19)}Z` : 'none'),
      (error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return 'none';
        throw error;
      },
    );
