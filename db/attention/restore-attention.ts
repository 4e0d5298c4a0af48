import { and, eq, isNull } from 'drizzle-orm';
import type { DismissedAttention } from '../../view/attention/entry.ts';
import type { Tx } from '../connect.ts';
import { readAllConditions, splitDismissed } from '../reads/attention/read-attention.ts';
import { attentionEntries } from '../schema.ts';
import { lockAttention } from './record-attention.ts';

/** The entry that is shown again; or, if no entry with the key was put away, the keys of those that were. */
export type Restoration = { restored: DismissedAttention } | { known: string[] };

/** Shows an entry again that was put away for everybody. No message announces it. */
export function restoreAttention(db: Tx, { key, now }: { key: string; now: Date }): Promise<Restoration> {
  return db.transaction(async (tx) => {
    await lockAttention(tx);
    const { attention } = await readAllConditions(tx, now);
    const { dismissed } = await splitDismissed(tx, attention);
    const entry = dismissed.find((one) => one.key === key);
    if (entry === undefined) return { known: dismissed.map((one) => one.key) };
    // No other row of the key is open. Rows that ended keep the time at which they were put away.
    await tx
      .update(attentionEntries)
      .set({ dismissedAt: null })
      .where(and(eq(attentionEntries.key, key), isNull(attentionEntries.endedAt)));
    return { restored: entry };
  });
}
