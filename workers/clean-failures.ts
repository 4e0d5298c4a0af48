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
    cleanField(each, 'message');
    cleanField(each, 'stack');
  }
  return error;
}

/** By definition, not assignment: of a DOMException (an abort, a timeout) the message has only a getter. */
function cleanField(error: Error, field: 'message' | 'stack'): void {
  const value = error[field];
  if (value === undefined || cleanText(value) === value) return;
  Object.defineProperty(error, field, { value: cleanText(value), configurable: true, writable: true });
}
