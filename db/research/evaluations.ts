import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { trials, wantedRuns } from '../schema.ts';

const openOf = (researchId: string) =>
  and(eq(wantedRuns.researchId, researchId), isNull(wantedRuns.n), eq(wantedRuns.kind, 'evaluation'));

/** Requests samples of a version. Call it in the transaction that ends the update, once, so that none is doubled. */
export async function insertEvaluations(
  tx: Tx,
  { samples, version, ...row }: { researchId: string; candidateId: string; version: number; samples: number },
): Promise<void> {
  const want = { ...row, kind: 'evaluation' as const, ofTrial: null, proposal: { version } };
  await tx.insert(wantedRuns).values(Array.from({ length: samples }, () => want));
}

/** Evaluations that wait for a number, the oldest first. */
export const findWantedEvaluations = (db: Tx, { researchId, limit }: { researchId: string; limit: number }) =>
  db.select().from(wantedRuns).where(openOf(researchId)).orderBy(asc(wantedRuns.id)).limit(limit);

/** Number of evaluations under way. */
export const countOpenEvaluations = (db: Tx, researchId: string): Promise<number> =>
  db.$count(trials, and(eq(trials.researchId, researchId), isNull(trials.status), eq(trials.kind, 'evaluation')));

/** Version that a trial of kind `evaluation` samples. */
export async function findEvaluatedVersion(db: Tx, key: { researchId: string; n: number }): Promise<number> {
  const [row] = await db
    .select({ version: sql<number>`(${wantedRuns.proposal} ->> 'version')::int` })
    .from(wantedRuns)
    .where(and(eq(wantedRuns.researchId, key.researchId), eq(wantedRuns.n, key.n)));
  if (!row) throw new Error(`Expected the request of evaluation ${key.researchId}/${key.n} in the database`);
  return row.version;
}
