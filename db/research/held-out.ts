import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { heldOutScores, trials } from '../schema.ts';
import { inSearch } from '../trial/in-search.ts';

export type HeldOutScore = typeof heldOutScores.$inferSelect;

/** The held-out score of a candidate; undefined if it was never made. */
export async function findHeldOutScore(
  db: Tx,
  { researchId, candidateId }: { researchId: string; candidateId: string },
): Promise<HeldOutScore | undefined> {
  const key = and(eq(heldOutScores.researchId, researchId), eq(heldOutScores.candidateId, candidateId));
  return (await db.select().from(heldOutScores).where(key))[0];
}

/** Stores a candidate's first held-out score. Returns the stored one: of two commands at once, that of the first. */
export async function keepHeldOutScore(db: Tx, score: typeof heldOutScores.$inferInsert): Promise<HeldOutScore> {
  await db.insert(heldOutScores).values(score).onConflictDoNothing();
  const stored = await findHeldOutScore(db, score);
  if (!stored) throw new Error(`Expected the held-out score of ${score.candidateId} to be stored`);
  return stored;
}

/** Number of candidates of a research whose held-out scores people have seen, without the unmodified workspace. */
export async function countHeldOutScores(
  db: Tx,
  { researchId, baselineCandidate }: { researchId: string; baselineCandidate: string },
): Promise<number> {
  const of = and(eq(heldOutScores.researchId, researchId), ne(heldOutScores.candidateId, baselineCandidate));
  const rows = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(heldOutScores)
    .where(of);
  return rows[0]?.n ?? 0;
}

/** First scored run of a candidate in its research, whose artefacts `perpetua clean` keeps; undefined: none yet. */
export async function findFirstScored(
  db: Tx,
  { researchId, candidateId }: { researchId: string; candidateId: string },
): Promise<string | undefined> {
  const rows = await db
    .select({ id: trials.id })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, researchId),
        eq(trials.candidateId, candidateId),
        inSearch(trials.kind),
        isNull(trials.reusedFrom),
        eq(trials.status, 'completed'),
      ),
    )
    .orderBy(asc(trials.n))
    .limit(1);
  return rows[0]?.id;
}
