import { Context } from '@temporalio/activity';

const BEAT_MS = 1000;

/** Runs long work with heartbeats from a timer at entry, so that a dead worker is noticed however long the work is silent. */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** True only if somebody asked for the cancel; a shutdown, a time-out or a lost connection detaches instead. */
export const isCancelRequested = (): boolean => Context.current().cancellationDetails?.cancelRequested === true;
