import { and, eq, sql } from 'drizzle-orm';
import type { PolicyPrompt } from '../../domain/learning/policy-prompt.ts';
import type { Tx } from '../connect.ts';
import { policies, rolloutGroups, rollouts } from '../schema.ts';

export type RolloutGroup = typeof rolloutGroups.$inferSelect;
export type Policy = typeof policies.$inferSelect;

/** State of a research's learning; inserts the row if there is none. Call it under the research's lock. */
export async function findOrInsertPolicy(tx: Tx, researchId: string): Promise<Policy> {
  const [row] = await tx
    .insert(policies)
    .values({ researchId })
    .onConflictDoUpdate({ target: policies.researchId, set: { researchId } })
    .returning();
  if (!row) throw new Error(`Expected a row of the policy of ${researchId}`);
  return row;
}

/** Group of a trial's sample; undefined before the trial joined one. */
export async function findGroup(db: Tx, trialId: string): Promise<RolloutGroup | undefined> {
  const [row] = await db
    .select({ group: rolloutGroups })
    .from(rollouts)
    .innerJoin(rolloutGroups, and(eq(rolloutGroups.researchId, rollouts.researchId), eq(rolloutGroups.g, rollouts.g)))
    .where(eq(rollouts.trialId, trialId));
  return row?.group;
}

/** Number of samples that have joined. Under the research's lock it is the number of the last one. */
export async function countRollouts(db: Tx, researchId: string): Promise<number> {
  const rows = await db.execute<{ n: number }>(
    sql`select coalesce(max(seq), 0)::int as n from rollouts where research_id = ${researchId}`,
  );
  return rows.rows[0]?.n ?? 0;
}

/** Group with a number; undefined if there is none. */
export async function findGroupByNumber(
  db: Tx,
  { researchId, g }: { researchId: string; g: number },
): Promise<RolloutGroup | undefined> {
  const isGroup = and(eq(rolloutGroups.researchId, researchId), eq(rolloutGroups.g, g));
  return (await db.select().from(rolloutGroups).where(isGroup))[0];
}

export async function insertGroup(
  tx: Tx,
  group: Pick<RolloutGroup, 'researchId' | 'g' | 'parentId' | 'parentReason' | 'niche' | 'version'>,
): Promise<void> {
  await tx.insert(rolloutGroups).values(group);
}

export async function insertRollout(
  tx: Tx,
  rollout: Pick<typeof rollouts.$inferInsert, 'trialId' | 'researchId' | 'seq' | 'g' | 'k'>,
): Promise<void> {
  await tx.insert(rollouts).values(rollout);
}

/** Fixes the prompt of a group. The first prompt stays, and is returned. */
export async function keepFirstPrompt(
  db: Tx,
  { researchId, g, prompt }: { researchId: string; g: number; prompt: PolicyPrompt },
): Promise<PolicyPrompt> {
  const isGroup = and(eq(rolloutGroups.researchId, researchId), eq(rolloutGroups.g, g));
  const [row] = await db
    .update(rolloutGroups)
    .set({ prompt: sql`coalesce(${rolloutGroups.prompt}, ${JSON.stringify(prompt)}::jsonb)` })
    .where(isGroup)
    .returning({ prompt: rolloutGroups.prompt });
  if (!row?.prompt) throw new Error(`Expected group ${g} of ${researchId} in the database`);
  return row.prompt;
}
