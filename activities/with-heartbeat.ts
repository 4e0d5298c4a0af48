import { Context } from '@temporalio/activity';

/**
 * Heartbeats in each heartbeat timeout. The server counts from the start of an attempt, so short work sends none, which
 * saves a write.
 */
const BEATS_PER_TIMEOUT = 4;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Runs work with heartbeats from a timer, so that the server notices a dead worker. */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const { heartbeatTimeoutMs = DEFAULT_TIMEOUT_MS } = context.info;
  const timer = setInterval(() => context.heartbeat(), heartbeatTimeoutMs / BEATS_PER_TIMEOUT);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** Wraps an activity, so that it sends heartbeats while it works. */
export const wrapInHeartbeat =
  <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    withHeartbeat(() => work(...args));

/**
 * True only if a cancel was requested. A shutdown, a timeout or a lost connection also aborts the work, but detaches
 * from it.
 */
export const isCancelRequested = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;
