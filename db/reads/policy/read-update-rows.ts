import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/number.ts';
import type { Tx } from '../../connect.ts';
import { updates } from '../../schema.ts';

/** An update with the mean reward of its batch, as the trials have it. */
export type UpdateRow = typeof updates.$inferSelect & { rewardMean: number | null };

const rewardMean = sql<number | null>`(
  select avg(trials.reward) from trials where trials.id in (select jsonb_array_elements_text(updates.batch)))`;

/** All updates of a research, or the one of that number, the first one first. */
export async function readUpdateRows(
  db: Tx,
  { researchId, k }: { researchId: string; k?: number },
): Promise<UpdateRow[]> {
  const rows = await db
    .select({ ...getTableColumns(updates), rewardMean })
    .from(updates)
    .where(and(eq(updates.researchId, researchId), k === undefined ? undefined : eq(updates.k, k)))
    .orderBy(asc(updates.k));
  return rows.map((row) => ({ ...row, rewardMean: finiteOrNull(row.rewardMean) }));
}
