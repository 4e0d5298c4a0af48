import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';

export interface Spent {
  /** In and out, of stored answers. */
  tokens: number;
  usd: number;
  /** Seconds on slots, of ended trials. */
  slotSeconds: number;
}

/** What a research has used so far. */
export async function readSpent(db: Tx, input: { researchId: string }): Promise<Spent> {
  const found = await db.execute<{ tokens: number; usd: number; slotSeconds: number }>(sql`
    select
      (select coalesce(sum(seconds), 0)::float8 from trials where research_id = ${input.researchId}) as "slotSeconds",
      coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0)::float8 as tokens,
      coalesce(sum(usd), 0)::float8 as usd
    from calls join trials on trials.id = calls.trial_id where trials.research_id = ${input.researchId}`);
  const row = found.rows[0];
  return { tokens: row?.tokens ?? 0, usd: row?.usd ?? 0, slotSeconds: row?.slotSeconds ?? 0 };
}
