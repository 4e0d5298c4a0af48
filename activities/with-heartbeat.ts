import { Context } from '@temporalio/activity';

/** The server counts from the start of an attempt, so that short work needs no beat at all: each is a write of its own. */
const BEATS_PER_TIMEOUT = 4;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Runs long work with heartbeats from a timer, so that a dead worker is noticed however long the work is silent. */
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

/** An activity that beats while it works. */
export const wrapInHeartbeat =
  <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    withHeartbeat(() => work(...args));

/** True only if somebody asked for the cancel; a shutdown, a time-out or a lost connection detaches instead. */
export const isCancelRequested = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;
