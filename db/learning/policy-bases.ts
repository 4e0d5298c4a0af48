import { and, eq, sql, type SQL } from 'drizzle-orm';
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
  // If the research was deleted, the row of another research that needs the weights is left.
  const { rows } = await tx.execute(sql`
    select 1 from updates where step_key = ${stepKey} and removed_at is null
    union all select 1 from policy_bases where step_key = ${stepKey}
      and not exists (select 1 from updates where step_key = ${stepKey})`);
  if (rows.length === 0) throw new Error(`Expected the weights of ${base}; they were removed meanwhile`);
}

/**
 * True in SQL if a research needs the weights of a step as its base. A research that has ended needs them if it has
 * learnt from them: it measures KL from them, and may return to version 0. Every research needs them for `endedSeconds`
 * after its end. `except`: id of a research that does not count.
 */
export const isNeededAsBase = (
  stepKey: SQL,
  { endedSeconds = 0, except = '' }: { endedSeconds?: number; except?: string } = {},
): SQL => sql`exists (
  select 1 from policy_bases base join researches heir on heir.id = base.research_id
  where base.step_key = ${stepKey} and heir.id <> ${except} and (heir.phase not in ('stopped', 'failed')
    or heir.updated_at >= now() - make_interval(secs => ${endedSeconds}::float8)
    or exists (select 1 from updates learnt where learnt.research_id = heir.id)))`;
