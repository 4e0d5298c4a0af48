import { CancellationScope } from '@temporalio/workflow';
import { jsonBytes } from '../../../domain/json/json-bytes.ts';

/** Most messages in one batch. */
const MOST_MESSAGES = 100;
/** Most bytes of one batch, as JSON. */
const MOST_BYTES = 256 * 1024;

/** Handles a batch: waiting messages of one kind that came in a row. */
export type BatchHandler<T> = (messages: readonly T[]) => Promise<void>;

interface Waiting {
  work: BatchHandler<unknown>;
  message: unknown;
  bytes: number;
}

/**
 * Registers the handler of a kind of messages. The returned function adds a message, and resolves when the inbox is
 * empty.
 */
export type Inbox = <T>(work: BatchHandler<T>) => (message: T) => Promise<void>;

/**
 * Creates an inbox that handles messages in the order in which they came, in batches of one kind. After hours without a
 * worker, thousands may come in one workflow task, which has ten or twenty seconds. So a message is an entry in a list
 * without a promise of its own, which would cost the SDK a tenth of a millisecond. A cancel of the research does not
 * stop the handlers. `afterwards`: called when the inbox is empty, and when a handler failed.
 */
export function createInbox(afterwards: () => void): Inbox {
  const waiting: Waiting[] = [];
  let working: Promise<void> | null = null;
  const workOff = async (): Promise<void> => {
    try {
      for (let batch = takeBatch(waiting); batch !== null; batch = takeBatch(waiting)) await batch.work(batch.messages);
    } finally {
      working = null;
      afterwards();
    }
  };
  return (work) => (message) => {
    waiting.push({ work: work as BatchHandler<unknown>, message, bytes: jsonBytes(message) });
    return (working ??= CancellationScope.nonCancellable(workOff));
  };
}

function takeBatch(waiting: Waiting[]): { work: BatchHandler<unknown>; messages: unknown[] } | null {
  const [first] = waiting;
  if (!first) return null;
  let bytes = 0;
  const end = waiting.findIndex((each, at) => {
    bytes += each.bytes;
    return at > 0 && (each.work !== first.work || at >= MOST_MESSAGES || bytes > MOST_BYTES);
  });
  const batch = waiting.splice(0, end < 0 ? waiting.length : end);
  return { work: first.work, messages: batch.map(({ message }) => message) };
}
