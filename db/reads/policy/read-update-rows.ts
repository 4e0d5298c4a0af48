import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import { finiteOrNull } from '../../../domain/json/number.ts';
import type { Fired } from '../../../domain/learning/gates/judge-update.ts';
import type { LearningRow } from '../../../view/policy/learning.ts';
import type { Tx } from '../../connect.ts';
import { updates } from '../../schema.ts';

/** An update with the mean of the stored rewards of its batch. */
export type UpdateRow = typeof updates.$inferSelect & { rewardMean: number | null };

const rewardMean = sql<number | null>`(
  select avg(trials.reward) from trials where trials.id in (select jsonb_array_elements_text(updates.batch)))`;

/** All updates of a research, or the one with number `k`, in order. */
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

/** Most rows, more than a terminal shows; a longer research gives the last ones. */
const MOST = 500;

interface Row extends Record<string, unknown> {
  update: number;
  reward: number | null;
  legal: number | null;
  entropy: number | null;
  fired: Fired[] | null;
}

/** Rewards, entropy and fired gates of each update that has ended, in order. */
export async function readLearningRows(db: Tx, { researchId }: { researchId: string }): Promise<LearningRow[]> {
  const { rows } = await db.execute<Row>(sql`
    with last as (
      select * from updates where research_id = ${researchId} and state <> 'due' order by k desc limit ${MOST})
    select last.k as update, (last.metrics->>'entropy')::float8 as entropy, last.fired, batch.reward, batch.legal
    from last, lateral (
      select avg(t.reward) as reward, avg((t.status <> 'rejected')::int)::float8 as legal
      from trials t where t.id in (select jsonb_array_elements_text(last.batch))) batch
    order by last.k`);
  return rows.map(({ update, reward, legal, entropy, fired }) => ({
    update,
    legal,
    reward: finiteOrNull(reward),
    entropy: finiteOrNull(entropy),
    gates: (fired ?? []).map(({ gate }) => `${gate.metric} (${gate.then})`),
  }));
}
