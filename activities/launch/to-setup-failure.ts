import { ApplicationFailure } from '@temporalio/activity';
import { refusalOf } from '../../domain/fault/refusal.ts';

/** A setup's failure for its workflow, for good: what its commands said last is in no field that a workflow keeps. */
export function toSetupFailure(error: unknown): unknown {
  const refusal = refusalOf(error);
  return refusal?.why === 'setup-failed' ? ApplicationFailure.nonRetryable(refusal.detail, 'SetupFailedError') : error;
}
