import { sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import type { ResearchView } from './read-research.ts';

export interface Spent {
  /** In and out, of answers that came; also of those that came too late to be stored. */
  tokens: number;
  usd: number;
  /** Seconds on slots, of ended trials. */
  slotSeconds: number;
}

/** What a research has used so far. */
export async function readSpent(db: Tx, { id, tokens, usd }: ResearchView): Promise<Spent> {
  const found = await db.execute<{ seconds: number }>(
    sql`select coalesce(sum(seconds), 0)::float8 as seconds from trials where research_id = ${id}`,
  );
  return { tokens, usd, slotSeconds: found.rows[0]?.seconds ?? 0 };
}
