import { and, desc, eq, inArray, isNotNull, ne, or, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';
import { logColumns, toLogLine, type LogLine } from './read-log.ts';

/** A proposal with a verdict, or one that failed. */
export type Ruled = LogLine & { ruledAt: string | null };

/**
 * Last rulings on proposals, newest first: a verdict that came or changed long after its trial ended is news. Runs of
 * the gate, which inform the verdicts, are left out.
 */
export async function readRulings(db: Tx, input: { researchId: string; limit: number }): Promise<Ruled[]> {
  const when = sql`coalesce(${trials.ruledAt}, ${trials.endedAt})`;
  const rows = await db
    .select(logColumns(input.researchId))
    .from(trials)
    .where(
      and(
        eq(trials.researchId, input.researchId),
        inArray(trials.kind, ['search', 'injected']),
        isNotNull(trials.status),
        or(ne(trials.verdict, 'none'), ne(trials.status, 'completed')),
      ),
    )
    .orderBy(desc(when), desc(trials.n))
    .limit(input.limit);
  return rows.flatMap((row) => {
    const ruledAt = (row.ruledAt ?? row.endedAt)?.toISOString() ?? null;
    return row.status ? [{ ...toLogLine(row, row.status), ruledAt }] : [];
  });
}
