import { ApplicationFailure } from '@temporalio/activity';

/** The failure of a request to open or change a research, for the person who sent it; never retried. */
export const refuse = (message: string, type: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type);
