import { describeEvent } from '../../../../domain/event/describe.ts';
import type { Tx } from '../../../connect.ts';
import { cursorBefore, FIRST_CURSOR, ForeignCursorError, readEvents, type EventLine } from '../../read-events.ts';

const LEVELS = ['detail', 'info', 'notice', 'warning'] as const;
export type Level = (typeof LEVELS)[number];

/** An event in words. */
export interface EventWords {
  cursor: string;
  at: string;
  research: string | null;
  kind: string;
  level: Level;
  n: number | null;
  text: string;
}

interface Input {
  /** Cursor to read from; absent: the newest events are read. */
  after?: string | undefined;
  researchId?: string | undefined;
  /** Lowest level to include. */
  level: Level;
  limit: number;
}

/** Events in words, oldest first, and the cursor to continue from. A cursor of another database counts as none. */
export async function readEventLines(
  db: Tx,
  { after, researchId, level, limit }: Input,
): Promise<{ events: EventWords[]; cursor: string }> {
  const without = LEVELS.slice(0, LEVELS.indexOf(level));
  const which: { researchId?: string; without: Level[] } =
    researchId === undefined ? { without } : { researchId, without };
  const from = after ?? (await cursorBefore(db, { ...which, last: limit }));
  try {
    const events = await readEvents(db, { ...which, after: from, limit });
    return { events: events.map(inWords), cursor: events.at(-1)?.cursor ?? from };
  } catch (error) {
    if (!(error instanceof ForeignCursorError) || after === undefined || after === FIRST_CURSOR) throw error;
    return readEventLines(db, { researchId, level, limit });
  }
}

const inWords = ({ researchId, level, data, cursor, at, kind, n }: EventLine): EventWords => ({
  cursor,
  at,
  research: researchId,
  kind,
  n,
  level: isLevel(level) ? level : 'info',
  text: describeEvent({ kind, n, data }),
});

const isLevel = (level: string): level is Level => (LEVELS as readonly string[]).includes(level);
