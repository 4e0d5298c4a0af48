import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { policyBases } from '../schema.ts';

export type PolicyBase = typeof policyBases.$inferSelect;
export type NewPolicyBase = Omit<PolicyBase, 'createdAt'>;

/** The resolved base of a research's policy; undefined if the base is no learnt version, or is not resolved yet. */
export async function findPolicyBase(
  db: Tx,
  { researchId, base }: { researchId: string; base: string },
): Promise<PolicyBase | undefined> {
  const isBase = and(eq(policyBases.researchId, researchId), eq(policyBases.base, base));
  return (await db.select().from(policyBases).where(isBase))[0];
}

/** Stores a base with which a research begins; the first one stays. Throws if its weights were removed meanwhile. */
export async function insertPolicyBase(tx: Tx, base: NewPolicyBase): Promise<void> {
  if (base.stepKey !== null) await requireWeights(tx, { ...base, stepKey: base.stepKey });
  await tx.insert(policyBases).values(base).onConflictDoNothing();
}

/** Locks the research that made the weights, under whose lock they would be removed, until the transaction ends. */
async function requireWeights(
  tx: Tx,
  { stepKey, base }: { stepKey: string } & Pick<NewPolicyBase, 'base'>,
): Promise<void> {
  await tx.execute(sql`
    select id from researches where id in (select research_id from updates where step_key = ${stepKey})
    order by id for no key update`);
  // A research that was deleted has no row; its weights stay as long as another research needs them.
  const { rows } = await tx.execute(
    sql`select k from updates where step_key = ${stepKey} and removed_at is not null limit 1`,
  );
  if (rows.length > 0) throw new Error(`Expected the weights of ${base}; they were removed meanwhile`);
}
