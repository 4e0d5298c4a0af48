import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';

export type RecentTrial = Pick<typeof trials.$inferSelect, 'n' | 'status' | 'verdict' | 'value' | 'hypothesis'>;

/** The last proposals that have an outcome, newest first. */
export function findRecent(tx: Tx, input: { researchId: string; limit: number }): Promise<RecentTrial[]> {
  const { n, status, verdict, value, hypothesis } = trials;
  return tx
    .select({ n, status, verdict, value, hypothesis })
    .from(trials)
    .where(
      and(eq(trials.researchId, input.researchId), isNotNull(status), inArray(trials.kind, ['search', 'injected'])),
    )
    .orderBy(desc(n))
    .limit(input.limit);
}
