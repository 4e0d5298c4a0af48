/** The total time of a call is over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** The longest that a timer of the runtime can wait; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `work` for at most `seconds`, then rejects with {@link DeadlineError}; rejects with the signal's reason when it
 * aborts. Both reject at once, whether or not `work` heeds the signal that it is given.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const { promise: stopped, reject: stop } = withReject();
  const timer = setTimeout(
    () => stop(new DeadlineError(`no complete answer within ${seconds} s`)),
    Math.min(seconds * 1000, LONGEST_TIMER_MS),
  );
  const onAbort = () => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Closes the connection of a call that is no longer wanted; harmless after one that ended.
    controller.abort();
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, onReject) => (reject = onReject));
  return { promise, reject };
}
