import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { cleanText } from '../domain/clean-text.ts';

/** Cleans the words of failures: half of a surrogate pair in one (a text cut in the middle) would stop the worker. */
export const cleanFailures: ActivityInboundCallsInterceptor = {
  execute: async (input, next) => {
    try {
      return await next(input);
    } catch (error) {
      throw cleaned(error);
    }
  },
};

function cleaned(error: unknown): unknown {
  for (let each = error; each instanceof Error; each = each.cause) {
    each.message = cleanText(each.message);
    if (each.stack !== undefined) each.stack = cleanText(each.stack);
  }
  return error;
}
