import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { TrialKind } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { runs, trials } from '../schema.ts';

export type Tried = Awaited<ReturnType<typeof readTried>>[number];

/** Ended trials of some kinds with what their last run said and where it was, in the order of their numbers. */
export function readTried(db: Tx, { researchId, kinds }: { researchId: string; kinds: TrialKind[] }) {
  const { id: trialId, kind, hypothesis, status, failure, failureMessage, value, verdict, seconds } = trials;
  return db
    .select({
      ...{ trialId, kind, hypothesis, status, failure, value, verdict, seconds },
      ...{ message: failureMessage, logTail: runs.logTail, host: runs.host },
    })
    .from(trials)
    .leftJoin(runs, and(eq(runs.trialId, trials.id), eq(runs.placement, trials.placement)))
    .where(and(eq(trials.researchId, researchId), inArray(trials.kind, kinds), isNotNull(trials.status)))
    .orderBy(asc(trials.n));
}
