import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

/** Activities of the research loop itself. Their failure would end the research, so they are retried without end. */
const NEVER_FINAL: readonly string[] = ['admit', 'reconcile', 'recordPhase', 'findOutcomes', 'alert'];

/** SQLSTATE class of values that the database cannot hold. */
const DATA_EXCEPTION = /^22...$/;
/** SQLSTATE class of violated constraints. */
const CONSTRAINT = /^23...$/;
/** Attempts within which a race with another attempt, or a row that is still to come, resolves itself. */
const CONSTRAINT_ATTEMPTS = 10;

/**
 * Ends an activity whose values Postgres refuses: every retry would be refused, and its workflow would wait for ever.
 */
export const endOnDatabaseRefusal = (activity: {
  activityType: string;
  attempt: number;
}): ActivityInboundCallsInterceptor => ({
  execute: async (input, next) => {
    try {
      return await next(input);
    } catch (error) {
      const refusal = NEVER_FINAL.includes(activity.activityType) ? undefined : refusalIn(error, activity.attempt);
      if (!refusal) throw error;
      throw ApplicationFailure.create({
        message: `the database refuses these values: ${refusal.message}`,
        type: 'RefusedByDatabase',
        nonRetryable: true,
        cause: refusal,
      });
    }
  },
});

/** Postgres error that no further attempt can resolve; undefined if there is none. Drizzle wraps such errors. */
function refusalIn(error: unknown, attempt: number): Error | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : '';
    if (DATA_EXCEPTION.test(code) || (CONSTRAINT.test(code) && attempt >= CONSTRAINT_ATTEMPTS)) return each;
  }
  return undefined;
}
