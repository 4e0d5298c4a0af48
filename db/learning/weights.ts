import { and, asc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { KeptVersion } from '../../domain/learning/weights/droppable.ts';
import type { Db, Tx } from '../connect.ts';
import { lockResearch } from '../research/research.ts';
import { updates } from '../schema.ts';
import { isNeededAsBase } from './policy-bases.ts';
import { PolicyRefusedError } from './policy-refused.ts';

/**
 * Versions of a research whose weights exist, and versions that something may still load. Under the research's lock.
 */
export async function readKeptVersions(
  tx: Tx,
  { researchId, group }: { researchId: string; group: number },
): Promise<{ versions: KeptVersion[]; inUse: number[] }> {
  const hasWeights = and(eq(updates.researchId, researchId), isNotNull(updates.checkpoint), isNull(updates.removedAt));
  const columns = { k: updates.k, held: updates.held };
  const versions = await tx.select(columns).from(updates).where(hasWeights).orderBy(asc(updates.k));
  // Versions in use: the one in force, parents of due updates, and those from which samples are still to be drawn. The
  // newest group may lack members, and an evaluation its samples. Another research may have begun with a version.
  const rows = await tx.execute<{ k: number }>(sql`
    select in_force as k from policies where research_id = ${researchId}
    union select parent from updates where research_id = ${researchId} and state = 'due' and parent is not null
    union select g.version from rollout_groups g
      join rollouts r on r.research_id = g.research_id and r.g = g.g join trials t on t.id = r.trial_id
      where g.research_id = ${researchId} and r.sampled_at is null and t.status is null
    union select (w.proposal ->> 'version')::int from wanted_runs w
      left join trials t on t.research_id = w.research_id and t.n = w.n
      where w.research_id = ${researchId} and w.kind = 'evaluation'
        and (w.n is null or (t.status is null and t.candidate_id is null))
    union select version from (
      select g.version, (select count(*) from rollouts r where r.research_id = g.research_id and r.g = g.g) as members
      from rollout_groups g where g.research_id = ${researchId} order by g.g desc limit 1) newest
      where members < ${group}
    union select k from updates where research_id = ${researchId} and removed_at is null and checkpoint is not null
      and ${isNeededAsBase(sql`updates.step_key`)}`);
  return { versions, inUse: rows.rows.map(({ k }) => k) };
}

/** Stores that the weights of these versions may not be used any more; their files are removed afterwards. */
export async function markWeightsRemoved(
  tx: Tx,
  { researchId, ks }: { researchId: string; ks: readonly number[] },
): Promise<void> {
  if (ks.length === 0) return;
  await tx
    .update(updates)
    .set({ removedAt: sql`now()` })
    .where(and(eq(updates.researchId, researchId), inArray(updates.k, [...ks]), isNull(updates.removedAt)));
}

/** Names among `stepKeys` of folders whose weights may not be used any more. */
export async function findRemovedWeights(db: Tx, stepKeys: readonly string[]): Promise<string[]> {
  if (stepKeys.length === 0) return [];
  const rows = await db
    .select({ stepKey: updates.stepKey })
    .from(updates)
    .where(and(inArray(updates.stepKey, [...stepKeys]), isNotNull(updates.removedAt)));
  return rows.flatMap(({ stepKey }) => stepKey ?? []);
}

/** Stores the folder name of the checkpoint that an update is about to make. */
export async function noteStep(
  db: Tx,
  { researchId, k, stepKey }: { researchId: string; k: number; stepKey: string },
): Promise<void> {
  await db
    .update(updates)
    .set({ stepKey })
    .where(and(eq(updates.researchId, researchId), eq(updates.k, k), eq(updates.state, 'due')));
}

/** Holds the weights of a version, whatever happens to the others. Throws PolicyRefusedError if they were removed. */
export function holdVersion(db: Db, key: { researchId: string; k: number }): Promise<void> {
  return db.transaction(async (tx) => {
    await lockResearch(tx, key.researchId);
    await hold(tx, key);
  });
}

/** Holds the weights of a version. Call it under the research's lock. */
export async function hold(tx: Tx, { researchId, k }: { researchId: string; k: number }): Promise<void> {
  const [row] = await tx
    .update(updates)
    .set({ held: true })
    .where(and(eq(updates.researchId, researchId), eq(updates.k, k), isNull(updates.removedAt)))
    .returning({ k: updates.k });
  if (!row)
    throw new PolicyRefusedError(
      `Expected a version of the policy of ${researchId} that still has its weights; ` +
        `those of version ${k} were removed to make room (search.update.keep). ` +
        `See: npx perpetua policy list ${researchId}`,
    );
}
