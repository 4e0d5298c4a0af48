import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { trials, wantedRuns } from '../schema.ts';

/** A person's proposal that waits for its run. */
export interface InjectedProposal {
  key: string;
  parentId: string;
  hypothesis: string;
}

const openOf = (researchId: string) =>
  and(eq(wantedRuns.researchId, researchId), isNull(wantedRuns.n), eq(wantedRuns.kind, 'injected'));

/** True if a proposal with that key was injected before. */
export async function isInjected(db: Tx, { researchId, key }: { researchId: string; key: string }): Promise<boolean> {
  const there = await db
    .select({ id: wantedRuns.id })
    .from(wantedRuns)
    .where(and(eq(wantedRuns.researchId, researchId), sql`${wantedRuns.proposal} ->> 'key' = ${key}`));
  return there.length > 0;
}

/** Last wanted run of the proposal with a key, with the number of its trial; null if no proposal has the key. */
export async function findInjectedByKey(
  db: Tx,
  { researchId, key }: { researchId: string; key: string },
): Promise<{ candidateId: string; n: number | null } | null> {
  const [last] = await db
    .select({ candidateId: wantedRuns.candidateId, n: wantedRuns.n })
    .from(wantedRuns)
    .where(
      and(
        eq(wantedRuns.researchId, researchId),
        eq(wantedRuns.kind, 'injected'),
        sql`${wantedRuns.proposal} ->> 'key' = ${key}`,
      ),
    )
    .orderBy(desc(wantedRuns.id))
    .limit(1);
  return last ?? null;
}

/** Requests the run of a person's proposal. */
export async function insertInjected(
  db: Tx,
  input: { researchId: string; candidateId: string; proposal: InjectedProposal },
): Promise<void> {
  await db.insert(wantedRuns).values({ ...input, kind: 'injected', ofTrial: null });
}

/** Candidates of injected proposals that have no number yet. */
export async function findInjected(db: Tx, researchId: string): Promise<string[]> {
  const rows = await db.select({ candidateId: wantedRuns.candidateId }).from(wantedRuns).where(openOf(researchId));
  return rows.map(({ candidateId }) => candidateId);
}

/** Withdraws injected proposals of these candidates that have no number yet. */
export async function withdrawInjected(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: string[] },
): Promise<void> {
  if (candidateIds.length > 0)
    await db.delete(wantedRuns).where(and(openOf(researchId), inArray(wantedRuns.candidateId, candidateIds)));
}

/** Changes the parent of injected proposals that have no number yet. */
export async function reparentInjected(db: Tx, input: { researchId: string; parentId: string }): Promise<void> {
  const { proposal } = wantedRuns;
  await db
    .update(wantedRuns)
    .set({ proposal: sql`${proposal} || ${JSON.stringify({ parentId: input.parentId })}::jsonb` })
    .where(openOf(input.researchId));
}

/** Requests the injected proposal of a trial again. Returns false if it was requested `most` times already. */
export async function retryInjected(
  db: Tx,
  { researchId, n, most }: { researchId: string; n: number; most: number },
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    insert into wanted_runs (research_id, kind, candidate_id, proposal)
    select research_id, kind, candidate_id, proposal from wanted_runs want
    where research_id = ${researchId} and n = ${n} and (
      select count(*) from wanted_runs before where before.research_id = ${researchId} and before.kind = 'injected'
        and before.proposal ->> 'key' = want.proposal ->> 'key') < ${most}`);
  return rowCount !== 0;
}

/** Copies parent and hypothesis, which were stored with a person's proposal, into the trials that run it. */
export async function copyInjected(
  db: Tx,
  { researchId, ns }: { researchId: string; ns: readonly number[] },
): Promise<void> {
  if (ns.length === 0) return;
  const wanted = await db
    .select({ n: wantedRuns.n, proposal: wantedRuns.proposal })
    .from(wantedRuns)
    .where(and(eq(wantedRuns.researchId, researchId), inArray(wantedRuns.n, [...ns])));
  for (const want of wanted)
    if (want.n !== null) {
      const { parentId, hypothesis } = want.proposal as InjectedProposal;
      await db
        .update(trials)
        .set({ proposer: 'person', parentId, hypothesis })
        .where(and(eq(trials.researchId, researchId), eq(trials.n, want.n)));
    }
}
