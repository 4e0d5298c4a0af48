import { asc, eq } from 'drizzle-orm';
import type { Tx } from '../../connect.ts';
import { claims } from '../../schema.ts';

export type Claim = typeof claims.$inferSelect;

/** Every claim of a research, in order. */
export async function readClaims(db: Tx, input: { researchId: string }): Promise<Claim[]> {
  return db.select().from(claims).where(eq(claims.researchId, input.researchId)).orderBy(asc(claims.seq));
}
