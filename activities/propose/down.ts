import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import type { ProposeContext } from './types.ts';

/** Attempts of the activity before the research is said to wait for its endpoint. */
export const DOWN_AFTER_ATTEMPTS = 3;
const LONGEST_RETRY_SECONDS = 600;

/** Another attempt asked since, or has its answer: what is stored is what counts. */
export const late = () => ApplicationFailure.retryable('a later attempt asks the model', 'Fenced');

/**
 * After a few attempts the research is marked as waiting; Temporal goes on retrying, so it recovers by itself. One that a
 * person has stopped does not wait for that.
 */
export async function down(
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
