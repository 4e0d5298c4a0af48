import { and, eq, isNull } from 'drizzle-orm';
import type { Attention } from '../../view/attention/entry.ts';
import type { Tx } from '../connect.ts';
import { insertEvents } from '../event/insert-events.ts';
import { closeNeeds } from '../notify/record-needs.ts';
import { readAllConditions } from '../reads/attention/read-attention.ts';
import { attentionEntries } from '../schema.ts';
import { endRows, eventsOf, lockAttention, openRow } from './record-attention.ts';

/** The entry that was put away; or, if no entry has the key, the keys of all entries. */
export type Dismissal = { dismissed: Attention } | { known: string[] };

/**
 * Puts an entry away for everybody, until its cause changes, or until it ends and happens again. The entry may not be
 * recorded yet: then its row begins as put away, and no message announces it.
 */
export function dismissAttention(db: Tx, { key, now }: { key: string; now: Date }): Promise<Dismissal> {
  return db.transaction(async (tx) => {
    await lockAttention(tx);
    const { attention } = await readAllConditions(tx, now);
    const entry = attention.find((one) => one.key === key);
    if (entry === undefined) return { known: attention.map((one) => one.key) };
    const [row] = await tx
      .select()
      .from(attentionEntries)
      .where(and(eq(attentionEntries.key, key), isNull(attentionEntries.endedAt)));
    if (row?.fingerprint === entry.fingerprint) {
      if (row.dismissedAt === null)
        await tx.update(attentionEntries).set({ dismissedAt: now }).where(eq(attentionEntries.id, row.id));
    } else {
      if (row !== undefined) {
        // The open row has another cause, which is over.
        const ended = await endRows(tx, [row], now);
        await insertEvents(tx, eventsOf({ appeared: [], ended }));
        await closeNeeds(tx, { ended, now });
      }
      await openRow(tx, entry, { now, dismissedAt: now });
    }
    return { dismissed: entry };
  });
}
