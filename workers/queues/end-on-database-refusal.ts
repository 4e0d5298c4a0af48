import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';

/** What the loop itself does: without it a research would end, so it is tried until the cause is mended. */
const NEVER_FINAL: readonly string[] = ['admit', 'reconcile', 'recordPhase', 'findOutcomes', 'alert'];

/** SQLSTATE: a value that the database cannot hold. */
const DATA_EXCEPTION = /^22...$/;
/** SQLSTATE: a constraint. */
const CONSTRAINT = /^23...$/;
/** A race with another attempt, or a row that is yet to come, mends itself in fewer. */
const CONSTRAINT_ATTEMPTS = 10;

/** Ends an activity whose values Postgres refuses: the same ones would be refused for ever, and whoever waits would, too. */
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
        message: `the database refuses it: ${refusal.message}`,
        type: 'RefusedByDatabase',
        nonRetryable: true,
        cause: refusal,
      });
    }
  },
});

/** The error of Postgres that no further attempt can mend; drizzle wraps it. */
function refusalIn(error: unknown, attempt: number): Error | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : '';
    if (DATA_EXCEPTION.test(code) || (CONSTRAINT.test(code) && attempt >= CONSTRAINT_ATTEMPTS)) return each;
  }
  return undefined;
}
