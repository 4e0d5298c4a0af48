import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db, Tx } from '../connect.ts';
import { trials } from '../schema.ts';
import { inSearch } from './in-search.ts';

/**
 * True, by candidate, if the candidate could not have written any of its scores in the research itself. Candidates
 * without a score are missing.
 */
export async function findTrust(
  db: Db | Tx,
  { researchId, candidateIds }: { researchId: string; candidateIds: string[] },
): Promise<Map<string, boolean>> {
  const rows = await db
    .select({ candidateId: trials.candidateId, trusted: sql<boolean>`bool_and(coalesce(${trials.trusted}, true))` })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, researchId),
        inArray(trials.candidateId, candidateIds),
        eq(trials.status, 'completed'),
        inSearch(trials.kind),
      ),
    )
    .groupBy(trials.candidateId);
  return new Map(rows.flatMap(({ candidateId, trusted }) => (candidateId === null ? [] : [[candidateId, trusted]])));
}
