import { eq, inArray, isNull, sql } from 'drizzle-orm';
import type { NewEvent } from '../../domain/event/kinds.ts';
import type { Attention } from '../../view/attention/entry.ts';
import type { Tx } from '../connect.ts';
import { insertEvents } from '../event/insert-events.ts';
import { readAllConditions } from '../reads/attention/read-attention.ts';
import { attentionEntries } from '../schema.ts';

/** An occurrence of an entry, with its row. `at` is its beginning. */
export interface RecordedAttention extends Attention {
  id: number;
  at: string;
  endedAt: string | null;
  /** Time at which a person put it away for everybody; null: it is shown. */
  dismissedAt: string | null;
}

export interface AttentionChange {
  appeared: RecordedAttention[];
  ended: RecordedAttention[];
}

/** `joined`: entries that last, and that affect a further research since the last call. */
export type AnnouncedChange = AttentionChange & { joined: RecordedAttention[] };

interface Input {
  now: Date;
  /** Runs in the same transaction if an entry appeared, ended or was joined. If it throws, nothing is recorded. */
  onChange?: (tx: Tx, change: AnnouncedChange) => Promise<void>;
}

/**
 * Compares what needs a person with the recorded entries: opens a row for each entry that appeared, ends the rows of
 * those that are over, and writes an event for each affected research, in one transaction. A repeated call changes
 * nothing; calls at the same time run one after the other.
 */
export function recordAttention(db: Tx, { now, onChange }: Input): Promise<AttentionChange> {
  return db.transaction(async (tx) => {
    await lockAttention(tx);
    const { attention } = await readAllConditions(tx, now);
    const rows = await tx.select().from(attentionEntries).where(isNull(attentionEntries.endedAt));
    const present = new Map(attention.map((entry) => [nameOf(entry), entry]));
    const recorded = new Map(rows.map((row) => [nameOf(row), row]));
    const change: AttentionChange = {
      ended: await endRows(
        tx,
        rows.filter((row) => !present.has(nameOf(row))),
        now,
      ),
      appeared: [],
    };
    const joined: RecordedAttention[] = [];
    for (const entry of attention) {
      const row = recorded.get(nameOf(entry));
      if (row === undefined) change.appeared.push(await openRow(tx, entry, { now }));
      else {
        const updated = await updateRow(tx, row, entry);
        if (updated.researches.some((id) => !row.researches.includes(id))) joined.push(recordedOf(updated));
      }
    }
    await insertEvents(tx, eventsOf(change));
    if (change.appeared.length + change.ended.length + joined.length > 0) await onChange?.(tx, { ...change, joined });
    return change;
  });
}

/** Makes the transactions that change recorded entries run one after the other. */
export const lockAttention = (tx: Tx) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('attention', 0))`);

type Row = typeof attentionEntries.$inferSelect;

const nameOf = ({ key, fingerprint }: Pick<Row, 'key' | 'fingerprint'>): string => JSON.stringify([key, fingerprint]);

/** Opens the row of an entry. The key has no open row. */
export async function openRow(
  tx: Tx,
  { at, key, fingerprint, researches, level, title, why, commands }: Attention,
  { now, dismissedAt = null }: { now: Date; dismissedAt?: Date | null },
): Promise<RecordedAttention> {
  const texts = { key, fingerprint, researches, level, title, why, commands };
  const beganAt = at === null ? now : new Date(at);
  const [row] = await tx
    .insert(attentionEntries)
    .values({ ...texts, beganAt, dismissedAt })
    .returning();
  if (row === undefined) throw new Error(`expected a new row of ${key}, got none`);
  return recordedOf(row);
}

/** Ends rows of entries that are over. */
export async function endRows(tx: Tx, rows: readonly Pick<Row, 'id'>[], now: Date): Promise<RecordedAttention[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const ended = await tx
    .update(attentionEntries)
    .set({ endedAt: now })
    .where(inArray(attentionEntries.id, ids))
    .returning();
  return ended.map(recordedOf);
}

/** Stores the present texts and researches of an entry that lasts; returns the row with them. */
async function updateRow(tx: Tx, row: Row, { researches, level, title, why, commands }: Attention): Promise<Row> {
  const texts = { researches, level, title, why, commands };
  const stored: typeof texts = {
    researches: row.researches,
    level: row.level,
    title: row.title,
    why: row.why,
    commands: row.commands,
  };
  if (JSON.stringify(texts) === JSON.stringify(stored)) return row;
  await tx.update(attentionEntries).set(texts).where(eq(attentionEntries.id, row.id));
  return { ...row, ...texts };
}

const recordedOf = ({ beganAt, endedAt, dismissedAt, ...row }: Row): RecordedAttention => ({
  ...row,
  at: beganAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
  dismissedAt: dismissedAt?.toISOString() ?? null,
});

/** One event for each affected research; an entry of a host has one event without a research. */
export function eventsOf({ appeared, ended }: AttentionChange): NewEvent[] {
  const affected = ({ researches }: Attention): (string | null)[] => (researches.length === 0 ? [null] : researches);
  return [
    ...ended.flatMap((entry) =>
      affected(entry).map((researchId): NewEvent => {
        const { key, title } = entry;
        return { kind: 'attention-ended', researchId, data: { key, title } };
      }),
    ),
    ...appeared.flatMap((entry) =>
      affected(entry).map((researchId): NewEvent => {
        const { key, title, why, commands, at: since } = entry;
        return { kind: 'attention-appeared', researchId, data: { key, title, why, commands, since } };
      }),
    ),
  ];
}
