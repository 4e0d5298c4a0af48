import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { TrialKind } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';

export type RecentTrial = Pick<typeof trials.$inferSelect, 'n' | 'status' | 'verdict' | 'value' | 'hypothesis'>;

/** Kinds that carry a proposal. */
export const PROPOSED: TrialKind[] = ['search', 'injected'];

/** The last trials of these kinds (of all where none is named) that have an outcome, newest first. */
export function findRecent(
  tx: Tx,
  input: { researchId: string; limit: number; kinds?: TrialKind[] },
): Promise<RecentTrial[]> {
  const { n, status, verdict, value, hypothesis } = trials;
  const ofKind = input.kinds && inArray(trials.kind, input.kinds);
  return tx
    .select({ n, status, verdict, value, hypothesis })
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), isNotNull(status), ofKind))
    .orderBy(desc(n))
    .limit(input.limit);
}
