import { eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { slots } from '../schema.ts';
import { doubtHostOf } from './slots.ts';

/** Lends a slot to nobody else before a look has declared it anew; who holds it keeps it. */
export async function retireSlot(db: Tx, id: string): Promise<void> {
  // A look that is under way may have seen it before.
  await doubtHostOf(db, sql`slots.id = ${id}`);
  await db.update(slots).set({ wanted: false }).where(eq(slots.id, id));
}
