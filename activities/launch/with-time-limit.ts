import { ApplicationFailure } from '@temporalio/activity';

/**
 * Aborts `work` once `seconds` have passed since its call of `onBegin`. The time before this call, such as the wait for
 * another setup of the same stage, does not count. Throws a non-retryable `SetupFailedError` with the message
 * `tooLong`, since the work would take as long the next time.
 */
export async function withTimeLimit(
  { signal, seconds, tooLong }: { signal: AbortSignal; seconds: number; tooLong: string },
  work: (limited: { signal: AbortSignal; onBegin: () => void }) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onBegin = (): void => {
    timer ??= setTimeout(() => limit.abort(), seconds * 1000);
  };
  try {
    await work({ signal: AbortSignal.any([signal, limit.signal]), onBegin });
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    throw ApplicationFailure.nonRetryable(tooLong, 'SetupFailedError');
  } finally {
    clearTimeout(timer);
  }
}
