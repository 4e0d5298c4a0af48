import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { Advance, GateState, Ruling } from '../../domain/gate/types.ts';
import type { Tx } from '../connect.ts';
import { claims, trials, wantedRuns } from '../schema.ts';
import { insertWants, updateResearch, type Research } from './research.ts';

/** Stores what a gate concluded: its state, its rulings, the runs that it asks for, and a claim if it made one. */
export async function storeAdvance(
  tx: Tx,
  { id: researchId, gate: before }: Pick<Research, 'id' | 'gate'>,
  { state, rulings, wants, claimed }: Advance,
): Promise<void> {
  await withdraw(tx, researchId, candidatesLost(before, state));
  for (const ruling of rulings) await writeRuling(tx, researchId, ruling);
  await insertWants(tx, researchId, wants);
  await updateResearch(tx, researchId, { gate: state });
  if (!claimed) return;
  // One trial may settle several that waited; the claim is the last of them.
  const keeps = rulings.filter((ruling) => ruling.verdict === 'keep');
  const reason = (keeps.find((ruling) => ruling.n === claimed.ofTrial) ?? keeps.at(-1))?.reason ?? 'claimed';
  await insertClaim(tx, researchId, { ...claimed, reason, by: 'gate' });
}

/** Candidates of which runs had been asked for, and are not any more. */
function candidatesLost(before: GateState, after: GateState): string[] {
  const asked = new Set(after.asked.map(({ candidateId }) => candidateId));
  return [...new Set(before.asked.map(({ candidateId }) => candidateId))].filter((id) => !asked.has(id));
}

/** Takes back the runs of candidates that have no number yet; what a person injected stays. */
async function withdraw(tx: Tx, researchId: string, candidateIds: string[]): Promise<void> {
  if (candidateIds.length === 0) return;
  const { n, kind, candidateId } = wantedRuns;
  await tx
    .delete(wantedRuns)
    .where(
      and(eq(wantedRuns.researchId, researchId), isNull(n), ne(kind, 'injected'), inArray(candidateId, candidateIds)),
    );
}

/** The verdict on a trial, in place of an earlier one. */
export async function writeRuling(tx: Tx, researchId: string, ruling: Ruling): Promise<void> {
  await tx
    .update(trials)
    .set({ verdict: ruling.verdict, reason: ruling.reason, ruledAt: sql`clock_timestamp()` })
    .where(and(eq(trials.researchId, researchId), eq(trials.n, ruling.n)));
}

/** Adds a claim to the history of the incumbent. */
export async function insertClaim(
  tx: Tx,
  researchId: string,
  claim: Omit<typeof claims.$inferInsert, 'researchId' | 'seq' | 'at'>,
): Promise<void> {
  const last = await tx.execute<{ seq: number }>(
    sql`select coalesce(max(seq), 0)::int as seq from claims where research_id = ${researchId}`,
  );
  await tx.insert(claims).values({ ...claim, researchId, seq: (last.rows[0]?.seq ?? 0) + 1 });
}
