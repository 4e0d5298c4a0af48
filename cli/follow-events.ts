import { setTimeout as sleep } from 'node:timers/promises';
import { resolveDatabase } from '../config/resolve.ts';
import { EVENTS_CHANNEL } from '../db/event/insert-events.ts';
import { listen } from '../db/listen.ts';
import { configOf } from './context.ts';
import { isPostgresOutage } from './errors.ts';
import { printNote, type Io } from './io.ts';

/** Events that notify of nothing, or are held back by another transaction, are seen by then. */
const POLL_MS = 2000;

/**
 * Calls `showNew` whenever there may be new events, until it says that nothing more comes, or Ctrl-C; where Postgres goes away
 * it waits for it.
 */
export async function followEvents(io: Io, showNew: () => Promise<'over' | 'open'>): Promise<void> {
  let wake = new AbortController();
  const listener = listen(await resolveDatabase(configOf(io)), EVENTS_CHANNEL, () => wake.abort());
  let away = false;
  try {
    while (!io.signal?.aborted) {
      wake = new AbortController();
      try {
        if ((await showNew()) === 'over') return;
        away = false;
      } catch (error) {
        if (!isPostgresOutage(error)) throw error;
        if (!away) printNote(io, 'Postgres does not answer; waiting for it');
        away = true;
      }
      const signal = io.signal ? AbortSignal.any([io.signal, wake.signal]) : wake.signal;
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await listener.close();
  }
}
