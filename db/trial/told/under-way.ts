import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm';
import { PROPOSAL_KINDS } from '../../../domain/trial.ts';
import type { Tx } from '../../connect.ts';
import { trials } from '../../schema.ts';

/** Proposals beside `trialId` that have a candidate and no outcome yet, by their numbers. */
export function findUnderWay(db: Tx, { researchId, trialId }: { researchId: string; trialId: string }) {
  const { n, hypothesis, edits } = trials;
  return db
    .select({ n, hypothesis, edits })
    .from(trials)
    .where(
      and(
        ...[eq(trials.researchId, researchId), ne(trials.id, trialId), isNull(trials.status)],
        ...[inArray(trials.kind, [...PROPOSAL_KINDS]), isNotNull(trials.candidateId)],
      ),
    )
    .orderBy(asc(n));
}
