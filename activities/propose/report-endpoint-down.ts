import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import type { ProposeContext } from './propose-context.ts';

/** Attempts of the activity before the research is said to wait for its endpoint. */
export const DOWN_AFTER_ATTEMPTS = 3;
const LONGEST_RETRY_SECONDS = 600;

/** A retryable failure: a later attempt has sent the request or stored its answer, which counts. */
export const createFencedFailure = () => ApplicationFailure.retryable('a later attempt asks the model', 'Fenced');

/**
 * Marks the research as waiting after a few attempts. Temporal goes on retrying, so that the research recovers by itself. A
 * research that a person is stopping does not wait: its trial is rejected.
 */
export async function reportEndpointDown(
  { deps, trial }: ProposeContext,
  { phase }: Pick<Research, 'phase'>,
  {
    what,
    message: why,
    retryAfterSeconds = null,
  }: { what: string; message: string; retryAfterSeconds?: number | null },
): Promise<{ rejected: Failure }> {
  const message = `${what}: ${why}`;
  if (phase === 'stopping')
    return {
      rejected: { label: 'proposer-failed', message: `stopped while no model answered: ${why}`.slice(0, 1000) },
    };
  if (Context.current().info.attempt >= DOWN_AFTER_ATTEMPTS)
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: message.slice(0, 500) });
  const nextRetryDelay = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_SECONDS) * 1000;
  throw ApplicationFailure.create({
    message,
    type: 'EndpointDown',
    ...(nextRetryDelay > 0 ? { nextRetryDelay } : {}),
  });
}
