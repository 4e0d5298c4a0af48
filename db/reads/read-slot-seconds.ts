import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

/** Seconds on slots of a research's ended trials. */
export async function readSlotSeconds(db: Tx, input: { researchId: string }): Promise<number> {
  const found = await db.execute<{ seconds: number }>(
    sql`select coalesce(sum(seconds), 0)::float8 as seconds from trials where research_id = ${input.researchId}`,
  );
  return found.rows[0]?.seconds ?? 0;
}
