/** A call exceeded its total time. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Longest timer of Node in ms; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `work` for at most `seconds`, then rejects with {@link DeadlineError}. Rejects with the signal's reason when it
 * aborts. Both happen at once, even if `work` ignores its signal.
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
    // Closes the connection of an abandoned call; no effect on a finished one.
    controller.abort();
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, onReject) => (reject = onReject));
  return { promise, reject };
}
