import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { claims } from '../schema.ts';

/** Adds a claim to the history of the incumbent. */
export async function insertClaim(db: Tx, claim: Omit<typeof claims.$inferInsert, 'seq' | 'at'>): Promise<void> {
  const last = await db.execute<{ seq: number }>(
    sql`select coalesce(max(seq), 0)::int as seq from claims where research_id = ${claim.researchId}`,
  );
  await db.insert(claims).values({ ...claim, seq: (last.rows[0]?.seq ?? 0) + 1 });
}
