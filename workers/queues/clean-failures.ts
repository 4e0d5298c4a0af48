import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { cleanText } from '../../domain/json/clean-text.ts';

/**
 * Characters of a failed query that a failure keeps. Temporal keeps 4 kB of a failure, and drops its causes beyond
 * that.
 */
const QUERY = 300;
/** Lines of the stack that the failure of a query keeps. */
const FRAMES = 8;

/**
 * Cleans the texts of failures: half of a surrogate pair (a text cut in the middle) would stop the worker. A failed
 * query is shortened, so that Postgres's message about it stays.
 */
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
    shortenQuery(each);
    cleanField(each, 'message');
    cleanField(each, 'stack');
  }
  return error;
}

function shortenQuery(error: Error): void {
  const { message, stack } = error;
  if (!message.startsWith('Failed query:') || message.length <= QUERY) return;
  error.message = `${message.slice(0, QUERY)} …`;
  const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  error.stack = [`${error.name}: ${error.message}`, ...frames.slice(0, FRAMES)].join('\n');
}

/**
 * Cleans a field by definition, not by assignment: the message of a DOMException (an abort, a timeout) has only a
 * getter.
 */
function cleanField(error: Error, field: 'message' | 'stack'): void {
  const value = error[field];
  if (value === undefined || cleanText(value) === value) return;
  Object.defineProperty(error, field, { value: cleanText(value), configurable: true, writable: true });
}
