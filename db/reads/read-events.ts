import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** One event. `cursor`: position of a reader that has read it. Kind, level and data may be those of another version. */
export interface EventLine {
  cursor: string;
  at: string;
  researchId: string | null;
  kind: string;
  level: string;
  n: number | null;
  data: unknown;
}

/** Cursor before the first event. */
export const FIRST_CURSOR = '0:0';

/**
 * Error for a cursor of another database, or of this one before it was restored to another server: read without one.
 */
export class ForeignCursorError extends Error {
  override readonly name = 'ForeignCursorError';
}

/**
 * Events after a cursor, oldest first, of one research or of everything. An event is returned once every transaction
 * that began before its own has ended. So no later event sorts before one that was read, and a reader misses none. An
 * open transaction that has written delays newer events meanwhile.
 */
export async function readEvents(
  db: Tx,
  { after = FIRST_CURSOR, limit, ...which }: Which & { after?: string; limit: number },
): Promise<EventLine[]> {
  const [xid, id] = partsOf(after);
  const { rows } = await db.execute<EventRow>(sql`
    select xid || ':' || id as cursor, at, research_id as "researchId", kind, level, n, data from events
    where (xid, id) > (${xid}::xid8, ${id}::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot()) ${isOf(which)}
    order by events.xid, events.id limit ${limit}`);
  if (rows.length === 0) await requireCursorOfServer(db, after);
  return rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() }));
}

/** Cursor before the last `last` events that a reader may see. */
export async function cursorBefore(db: Tx, { last, ...which }: Which & { last: number }): Promise<string> {
  const { rows } = await db.execute<{ cursor: string }>(sql`
    select xid || ':' || id as cursor from events where xid < pg_snapshot_xmin(pg_current_snapshot()) ${isOf(which)}
    order by events.xid desc, events.id desc offset ${last} limit 1`);
  return rows[0]?.cursor ?? FIRST_CURSOR;
}

/** Selection of events: of one research, and without some levels. */
interface Which {
  researchId?: string;
  without?: readonly string[];
}

const isOf = ({ researchId, without = [] }: Which) => sql`
  ${researchId === undefined ? sql`` : sql`and research_id = ${researchId}`}
  ${without.length === 0 ? sql`` : sql`and level <> all(${sql.param([...without])}::text[])`}`;

type EventRow = EventLine & Record<string, unknown>;

function partsOf(cursor: string): [string, string] {
  const found = /^(\d{1,20}):(\d{1,19})$/.exec(cursor);
  if (!found) throw new Error(`Expected a cursor of events like ${FIRST_CURSOR}, got ${JSON.stringify(cursor)}`);
  return [found[1] ?? '', found[2] ?? ''];
}

/** Throws for a cursor that is ahead of the server's transactions, which only count up: another server gave it. */
async function requireCursorOfServer(db: Tx, cursor: string): Promise<void> {
  const { rows } = await db.execute<{ ahead: boolean }>(
    sql`select ${partsOf(cursor)[0]}::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) as ahead`,
  );
  if (rows[0]?.ahead)
    throw new ForeignCursorError(
      `Expected a cursor from this Postgres server, got ${cursor}, which is ahead of it: ` +
        `read from ${FIRST_CURSOR} again`,
    );
}
