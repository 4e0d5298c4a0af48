import { setTimeout as pause } from 'node:timers/promises';
import { EVENTS_CHANNEL } from '../../../db/event/insert-events.ts';
import { listen } from '../../../db/listen.ts';
import { cursorBefore, ForeignCursorError, readEvents } from '../../../db/reads/read-events.ts';
import type { Changed } from '../../api/live/stream.ts';
import { errorProblem } from '../answer/problems.ts';
import type { DatabaseSource } from '../source/database-source.ts';

/** Least time between two polls, so that the hub publishes a research at most four times a second. */
const SPACING_MS = 250;
/**
 * Longest time between two polls. A poll finds events without a notification, events that an open transaction held
 * back, and a Postgres that stopped or came back.
 */
const POLL_MS = 1000;
/** Longest time for a poll. After that, Postgres counts as away: stopped, frozen or cut off. */
const PATIENCE_MS = 3000;
/** Events per read. */
const PAGE = 1000;

/** Callbacks of a subscriber. They must not throw. */
export interface Subscriber {
  changed(change: Changed): void;
  /** Postgres does not answer, or has nothing to read yet. */
  away(message: string): void;
  /** Postgres answers again. Anything may have changed. */
  back(): void;
}

export interface Hub {
  /** Reports the present state at once, then each change. Returns the function that unsubscribes. */
  subscribe(subscriber: Subscriber): () => void;
  /** Number of changes that were published, with those of Postgres' absence. */
  version(): number;
  close(): Promise<void>;
}

/** Error of a promise that did not settle in time. */
class NoAnswerError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Returns the promise's result. Throws `NoAnswerError` after `ms` milliseconds. */
async function withinTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${ms / 1000} s`)), ms);
  });
  promise.catch(() => undefined); // a rejection after the timeout must not end the process
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Follows the table of events for any number of subscribers, with a single connection that listens. */
export function openHub(source: DatabaseSource): Hub {
  const subscribers = new Set<Subscriber>();
  let cursor: string | null = null;
  let away: string | null = null;
  let listening: { url: string; close: () => Promise<void> } | null = null;
  let closed = false;
  let version = 0;
  let wake: () => void = () => undefined;

  function publish(change: Changed): void {
    version += 1;
    subscribers.forEach((subscriber) => subscriber.changed(change));
  }

  /** Starts a listener if there is none for the database's present URL, and closes the previous one. */
  function followUrl(): void {
    const url = source.url();
    if (url === null || listening?.url === url) return;
    void listening?.close().catch(() => undefined);
    listening = { url, close: listen(url, EVENTS_CHANNEL, () => wake()).close };
  }

  /** Publishes the researches that changed since the last poll, each with the cursor of its last event. */
  async function poll(): Promise<void> {
    source.refresh();
    followUrl();
    // After Postgres was away, the poll skips to the newest event: subscribers then read everything again.
    const from = away === null ? cursor : null;
    const read = await withinTime(
      PATIENCE_MS,
      source.readForChanges(async (db) => {
        if (from === null) return { cursor: await cursorBefore(db, { last: 0 }), changes: null };
        const changes = new Map<string | null, string>();
        let after = from;
        for (let lines; (lines = await readEvents(db, { after, limit: PAGE })).length > 0;) {
          for (const line of lines) changes.set(line.researchId, line.cursor);
          after = lines.at(-1)?.cursor ?? after;
        }
        return { cursor: after, changes };
      }),
    );
    cursor = read.cursor;
    if (away !== null) subscribers.forEach((subscriber) => subscriber.back());
    away = null;
    if (read.changes === null) return publish({ research: null, cursor });
    for (const [research, lastCursor] of read.changes) publish({ research, cursor: lastCursor });
  }

  async function run(): Promise<void> {
    while (!closed) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        await poll();
      } catch (error) {
        // The cursor belongs to another server: the next poll starts at this server's newest event.
        if (error instanceof ForeignCursorError) cursor = null;
        else goAway(errorProblem(error).error);
      }
      await Promise.all([pause(SPACING_MS), Promise.race([woken, pause(POLL_MS)])]);
    }
  }
  function goAway(message: string): void {
    version += 1;
    if (away === null) subscribers.forEach((subscriber) => subscriber.away(message));
    away = message;
  }

  const running = run();
  return {
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      if (away !== null) subscriber.away(away);
      else if (cursor !== null) subscriber.changed({ research: null, cursor });
      return () => void subscribers.delete(subscriber);
    },
    version: () => version,
    close: async () => {
      closed = true;
      wake();
      await Promise.all([running, listening?.close().catch(() => undefined)]);
    },
  };
}
