import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { WorkflowInboundCallsInterceptor } from '@temporalio/workflow';
import { MANY_SIGNALS } from '../../domain/messages/names.ts';
import { parseSender, SENDER_HEADER, type Sender } from '../../domain/messages/sender.ts';

/**
 * Passes the sender of a start, signal or update to its handler as second argument. Further arguments of a person are
 * dropped: no handler has any. The interceptor of many signals adds the senders of its batches itself.
 */
export const senders: WorkflowInboundCallsInterceptor = {
  execute: (input, next) => next({ ...input, args: withSender(input) }),
  handleSignal: (input, next) =>
    next(input.signalName === MANY_SIGNALS ? input : { ...input, args: withSender(input) }),
  handleUpdate: (input, next) => next({ ...input, args: withSender(input) }),
};

const withSender = ({ args, headers }: { args: unknown[]; headers: Headers }): unknown[] => {
  const sender = senderIn(headers);
  return sender === null ? args.slice(0, 1) : [args[0], sender];
};

/** Reads the sender from the headers of a message; null if they name none. */
function senderIn(headers: Headers): Sender | null {
  const payload = headers[SENDER_HEADER];
  try {
    return payload ? parseSender(defaultPayloadConverter.fromPayload(payload)) : null;
  } catch {
    // An error here would fail the workflow task again and again.
    return null;
  }
}
