import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Failure } from '../../domain/trial.ts';
import type { ProposeContext } from './propose-context.ts';

/** Attempt of the activity from which on the research is reported as waiting for its endpoint. */
export const DOWN_AFTER_ATTEMPTS = 3;
const LONGEST_RETRY_SECONDS = 600;

/** Name of the endpoints of models in the reason of a wait. */
export const MODEL_ENDPOINT = 'model endpoint';

/** The reason of a research's wait for the endpoint of an agent. */
export const describeOutage = (why: string): string => `${MODEL_ENDPOINT}: ${why}`.slice(0, 500);

/** Error of an endpoint that a mixture's arm needs: another arm makes the proposal. */
export class ArmDownError extends Error {
  override readonly name = 'ArmDownError';
  /** True if the error may concern only the arm's model, so that other models of the endpoint are asked. */
  readonly isOfModel: boolean;
  /** Seconds that the endpoint asked to wait. */
  readonly retryAfterSeconds: number;
  /** True if the call reached its deadline. */
  readonly isLate: boolean;
  constructor(message: string, { isOfModel, retryAfterSeconds, isLate = false }: ArmDown) {
    super(message);
    this.isOfModel = isOfModel;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isLate = isLate;
  }
}

type ArmDown = Pick<ArmDownError, 'isOfModel' | 'retryAfterSeconds'> & { isLate?: boolean };

/** The retryable failure of an attempt that a later one overtook: only the later attempt's request and answer count. */
export const createFencedFailure = () => ApplicationFailure.retryable('a later attempt asks the model', 'Fenced');

/**
 * Reports that a model endpoint, a policy server or an optimizer is down. Throws a retryable failure, so that Temporal
 * goes on retrying. From the third attempt on the research is marked as waiting, or the trial gets another arm of its
 * mixture (ArmDownError). If a person is stopping the research, its trial is rejected instead.
 */
export async function reportEndpointDown(
  { deps, trial, otherArms }: ProposeContext,
  { phase }: Pick<Research, 'phase'>,
  {
    what,
    message: why,
    retryAfterSeconds = null,
    isOfModel = false,
    isLate = false,
  }: { what: string; message: string; retryAfterSeconds?: number | null; isOfModel?: boolean; isLate?: boolean },
): Promise<{ rejected: Failure }> {
  const message = `${what}: ${why}`;
  if (phase === 'stopping')
    return {
      rejected: { label: 'proposer-failed', message: `stopped before an answer came: ${message}`.slice(0, 1000) },
    };
  if (Context.current().info.attempt >= DOWN_AFTER_ATTEMPTS) {
    const hasOther = isOfModel ? otherArms?.ofOtherModel : otherArms?.ofOtherEndpoint;
    if (hasOther === true)
      throw new ArmDownError(message.slice(0, 500), { isOfModel, isLate, retryAfterSeconds: retryAfterSeconds ?? 0 });
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: message.slice(0, 500) });
  }
  const nextRetryDelay = Math.min(retryAfterSeconds ?? 0, LONGEST_RETRY_SECONDS) * 1000;
  const failure = { message, type: 'EndpointDown' };
  throw ApplicationFailure.create(nextRetryDelay > 0 ? { ...failure, nextRetryDelay } : failure);
}
