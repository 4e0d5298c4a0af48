import { setTimeout as sleep } from 'node:timers/promises';
import { resolveDatabase } from '../config/resolve.ts';
import { EVENTS_CHANNEL } from '../db/event/insert-events.ts';
import { listen } from '../db/listen.ts';
import { configOf } from './context.ts';
import { isPostgresOutage } from './errors.ts';
import { printNote, type Io } from './io.ts';

/** Interval of polls, which find events without a notification and events that another transaction delays. */
const POLL_MS = 2000;

/**
 * Calls `showNew` whenever there may be new events, until it returns `over` or Ctrl-C comes. Waits while Postgres does
 * not answer.
 */
export async function followEvents(io: Io, showNew: () => Promise<'over' | 'open'>): Promise<void> {
  let wake = new AbortController();
  const listener = listen(await resolveDatabase(configOf(io)), EVENTS_CHANNEL, () => wake.abort());
  let isDown = false;
  try {
    while (!io.signal?.aborted) {
      wake = new AbortController();
      try {
        if ((await showNew()) === 'over') return;
        isDown = false;
      } catch (error) {
        if (!isPostgresOutage(error)) throw error;
        if (!isDown) printNote(io, 'Postgres does not answer; waiting for it');
        isDown = true;
      }
      const signal = io.signal ? AbortSignal.any([io.signal, wake.signal]) : wake.signal;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await listener.close();
  }
}
