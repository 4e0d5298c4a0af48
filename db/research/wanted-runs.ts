import { and, asc, desc, eq, inArray, isNull, ne, notInArray, sql } from 'drizzle-orm';
import type { WantedRun } from '../../domain/gate/types.ts';
import type { Tx } from '../connect.ts';
import { wantedRuns } from '../schema.ts';
import { KINDS_OUTSIDE_SEARCH } from '../../domain/trial.ts';

/** Wanted runs of a research that have no trial number yet. */
const openOf = (researchId: string) => and(eq(wantedRuns.researchId, researchId), isNull(wantedRuns.n));

/** Requests runs; they are admitted ahead of new proposals. */
export async function insertWantedRuns(db: Tx, researchId: string, wanted: WantedRun[]): Promise<void> {
  if (wanted.length > 0) await db.insert(wantedRuns).values(wanted.map((want) => ({ researchId, ...want })));
}

/** Runs that wait for a number, without evaluations: the baseline, a person's ideas, the oldest, then ablations. */
export async function findWantedRuns(db: Tx, input: { researchId: string; limit: number }) {
  return db
    .select()
    .from(wantedRuns)
    .where(and(openOf(input.researchId), ne(wantedRuns.kind, 'evaluation')))
    .orderBy(
      desc(eq(wantedRuns.kind, 'baseline')),
      desc(eq(wantedRuns.kind, 'injected')),
      asc(eq(wantedRuns.kind, 'ablation')),
      asc(wantedRuns.id),
    )
    .limit(input.limit);
}

/** Stores the trial numbers of waiting runs. */
export async function numberWantedRuns(db: Tx, numbers: readonly { id: number; n: number }[]): Promise<void> {
  for (const { id, n } of numbers) await db.update(wantedRuns).set({ n }).where(eq(wantedRuns.id, id));
}

/** Withdraws runs of these candidates that have no number yet; runs that a person injected stay. */
export async function withdrawWantedRuns(
  db: Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: string[] },
): Promise<void> {
  if (candidateIds.length === 0) return;
  const { kind, candidateId } = wantedRuns;
  await db
    .delete(wantedRuns)
    .where(
      and(
        openOf(researchId),
        notInArray(kind, ['injected', ...KINDS_OUTSIDE_SEARCH]),
        inArray(candidateId, candidateIds),
      ),
    );
}

/** Withdraws the baseline runs that have no number yet. */
export async function withdrawBaselineRuns(db: Tx, researchId: string): Promise<void> {
  await db.delete(wantedRuns).where(and(openOf(researchId), eq(wantedRuns.kind, 'baseline')));
}

/** Withdraws the gate's runs that have no number yet; returns their candidates. */
export async function withdrawGateRuns(db: Tx, researchId: string): Promise<string[]> {
  const taken = await db
    .delete(wantedRuns)
    .where(and(openOf(researchId), notInArray(wantedRuns.kind, ['injected', ...KINDS_OUTSIDE_SEARCH])))
    .returning({ candidateId: wantedRuns.candidateId });
  return taken.map(({ candidateId }) => candidateId);
}

/**
 * Counts that limit early proposals beside a baseline: waiting baseline runs and injected runs, and proposals begun.
 */
export async function countEarlyProposals(
  db: Tx,
  { researchId, taskHash }: { researchId: string; taskHash: string },
): Promise<{ waiting: number; injected: number; begun: number }> {
  const found = await db.execute<{ waiting: number; injected: number; begun: number }>(sql`
    select
      count(*) filter (where kind = 'baseline')::int as waiting,
      count(*) filter (where kind = 'injected')::int as injected,
      (select count(*)::int from trials where research_id = ${researchId} and task_hash = ${taskHash}
         and kind = 'search') as begun
    from wanted_runs where research_id = ${researchId} and n is null`);
  return found.rows[0] ?? { waiting: 0, injected: 0, begun: 0 };
}
