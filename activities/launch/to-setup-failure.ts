import { ApplicationFailure } from '@temporalio/activity';
import { refusalOf } from '../../domain/fault/refusal.ts';

/**
 * Turns a setup failure into a non-retryable failure whose message contains the last output of the setup: of an error,
 * a workflow keeps the message only. Returns any other error unchanged.
 */
export function toSetupFailure(error: unknown): unknown {
  const refusal = refusalOf(error);
  return refusal?.why === 'setup-failed' ? ApplicationFailure.nonRetryable(refusal.detail, 'SetupFailedError') : error;
}
