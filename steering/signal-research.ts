import type { Client } from '@temporalio/client';
import { SIGNALS } from '../domain/messages/names.ts';
import { SteeringError } from './steering-error.ts';
import type { Temporal } from './with-client.ts';

/** Longest wait for Temporal to take a signal. No worker is needed for that. */
const TAKEN_MS = 4000;
/** Status codes of gRPC: deadline exceeded, unavailable. */
const UNANSWERED = new Set<unknown>([4, 14]);

export interface Signal {
  /** Id of the research. */
  id: string;
  name: Exclude<keyof typeof SIGNALS, 'trialEnded'>;
  args?: readonly unknown[];
}

/** Sends a signal to a research. Throws SteeringError: `refused` if no workflow of it runs, `unreachable` if
 * Temporal does not answer. */
export async function signalResearch({ client, address }: Temporal, { id, name, args = [] }: Signal): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + TAKEN_MS, () =>
      client.workflow.getHandle(id).signal(SIGNALS[name], ...args),
    );
  } catch (error) {
    // The server returns the same error for an unknown id and for a closed workflow.
    if (error instanceof Error && error.name === 'WorkflowNotFoundError')
      throw new SteeringError(
        'refused',
        `Expected a running research ${id} on ${address.address} (namespace ${address.namespace}), ` +
          `found ${await endOf(client, id)}. ` +
          `See \`npx perpetua list\`. To start it, or to go on with it: \`npx perpetua start <task> --id ${id}\`.`,
      );
    if (isUnanswered(error))
      throw new SteeringError(
        'unreachable',
        `Expected Temporal at ${address.address} to take the message within ${TAKEN_MS / 1000} seconds, ` +
          'got no answer. The message may still be taken.',
        { cause: error },
      );
    throw error;
  }
}

/** True for a call that Temporal did not answer in time, or whose connection was lost. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && UNANSWERED.has((error.cause as { code?: unknown }).code);

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
