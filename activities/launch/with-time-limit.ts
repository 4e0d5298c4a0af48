import { ApplicationFailure } from '@temporalio/activity';

/**
 * Work on a host that a task may hold up for ever, cut off `seconds` after it says that it begins: who waits for another's has not
 * begun. Throws a `SetupFailedError` for good, since it would be as long the next time.
 */
export async function withTimeLimit(
  { signal, seconds, tooLong }: { signal: AbortSignal; seconds: number; tooLong: string },
  work: (on: { signal: AbortSignal; onBegin: () => void }) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onBegin = (): void => void (timer ??= setTimeout(() => limit.abort(), seconds * 1000));
  try {
    await work({ signal: AbortSignal.any([signal, limit.signal]), onBegin });
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    throw ApplicationFailure.nonRetryable(tooLong, 'SetupFailedError');
  } finally {
    clearTimeout(timer);
  }
}
