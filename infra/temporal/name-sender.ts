import type { Headers, WorkflowClientInterceptor } from '@temporalio/client';
import { SENDER_HEADER, type Sender } from '../../domain/messages/sender.ts';

/** Names the sender of each start, signal and update of a client in a header. Payloads stay as they are. */
export function nameSender(sender: Sender): WorkflowClientInterceptor {
  // Made here, since the functions of the SDK for it would load its client.
  const header = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(sender)) };
  const withSender = <T extends { headers: Headers }>(input: T): T => ({
    ...input,
    headers: { ...input.headers, [SENDER_HEADER]: header },
  });
  return {
    start: (input, next) => next(withSender(input)),
    startWithDetails: (input, next) => next(withSender(input)),
    signal: (input, next) => next(withSender(input)),
    signalWithStart: (input, next) => next(withSender(input)),
    startUpdate: (input, next) => next(withSender(input)),
  };
}
