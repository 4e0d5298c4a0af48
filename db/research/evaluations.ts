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

/** Withdraws the samples that have no number yet; returns how many. */
export async function withdrawEvaluations(tx: Tx, researchId: string): Promise<number> {
  return (await tx.delete(wantedRuns).where(openOf(researchId)).returning({ id: wantedRuns.id })).length;
}

/** True if samples of a version are requested, or were drawn under the research's present task. */
export async function isEvaluationRequested(
  tx: Tx,
  { researchId, version }: { researchId: string; version: number },
): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select 1 from wanted_runs w join researches r on r.id = w.research_id
    left join trials t on t.research_id = w.research_id and t.n = w.n
    where w.research_id = ${researchId} and w.kind = 'evaluation' and (w.proposal ->> 'version')::int = ${version}
      and (w.n is null or t.task_hash = r.task_hash) limit 1`);
  return rows.length > 0;
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
