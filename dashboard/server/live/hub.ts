import { setTimeout as pause } from 'node:timers/promises';
import { EVENTS_CHANNEL } from '../../../db/event/insert-events.ts';
import { listen } from '../../../db/listen.ts';
import { cursorBefore, ForeignCursorError, readEvents } from '../../../db/reads/read-events.ts';
import type { Changed } from '../../api/stream.ts';
import { errorProblem } from '../answer/problems.ts';
import type { DatabaseSource } from '../source/database-source.ts';

/** Looks follow each other no faster, so that a research is told of at most four times a second. */
const SPACING_MS = 250;
/** What no notification told, or another transaction held back, is seen by then; so is a Postgres that went or came. */
const POLL_MS = 1000;
/** A look that takes longer means that Postgres is away (stopped, frozen, cut off). */
const PATIENCE_MS = 3000;
/** Events that are read at once. */
const PAGE = 1000;

/** What subscribers hear; calls must not throw. */
export interface Subscriber {
  changed(change: Changed): void;
  /** Postgres does not answer, or has nothing to read yet. */
  away(message: string): void;
  /** It does again: anything may have changed. */
  back(): void;
}

export interface Hub {
  /** Tells how things are now at once, then each change. Returns the way out. */
  subscribe(subscriber: Subscriber): () => void;
  close(): Promise<void>;
}

/** Who was asked said nothing in time. */
class NoAnswerError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** The promise's result; throws where it takes longer. */
async function withinTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError(`no answer within ${ms / 1000} s`)), ms);
  });
  promise.catch(() => undefined); // one that comes late is not heard, and must not end the process
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Follows the table of events on one connection that listens, for any number of subscribers. */
export function openHub(source: DatabaseSource): Hub {
  const subscribers = new Set<Subscriber>();
  let cursor: string | null = null;
  let away: string | null = null;
  let listening: { url: string; close: () => Promise<void> } | null = null;
  let closed = false;
  let wake: () => void = () => undefined;

  const tell = (change: Changed): void => subscribers.forEach((one) => one.changed(change));

  /** One listener, where Postgres is now. */
  function follow(): void {
    const url = source.url();
    if (url === null || listening?.url === url) return;
    void listening?.close().catch(() => undefined);
    listening = { url, close: listen(url, EVENTS_CHANNEL, () => wake()).close };
  }

  /** The researches that changed since the last look, each with the cursor of its last event. */
  async function look(): Promise<void> {
    source.refresh();
    follow();
    // After an absence everything is read anew: what happened meanwhile need not be counted up.
    const from = away === null ? cursor : null;
    const found = await withinTime(
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
    cursor = found.cursor;
    if (away !== null) subscribers.forEach((one) => one.back());
    away = null;
    if (found.changes === null) return tell({ research: null, cursor });
    for (const [research, at] of found.changes) tell({ research, cursor: at });
  }

  async function run(): Promise<void> {
    while (!closed) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      try {
        await look();
      } catch (error) {
        // Of another server: what it has is read anew.
        if (error instanceof ForeignCursorError) cursor = null;
        else goAway(errorProblem(error).error);
      }
      await Promise.all([pause(SPACING_MS), Promise.race([woken, pause(POLL_MS)])]);
    }
  }
  function goAway(message: string): void {
    if (away === null) subscribers.forEach((one) => one.away(message));
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
    close: async () => {
      closed = true;
      wake();
      await Promise.all([running, listening?.close().catch(() => undefined)]);
    },
  };
}
