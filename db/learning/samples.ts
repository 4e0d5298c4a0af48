import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from '../connect.ts';
import { rolloutGroups, rollouts, trials } from '../schema.ts';

export type Rollout = typeof rollouts.$inferSelect;

/** The sample of a trial; undefined where it has joined no group. */
export async function findRollout(db: Tx, trialId: string): Promise<Rollout | undefined> {
  return (await db.select().from(rollouts).where(eq(rollouts.trialId, trialId)))[0];
}

type Drawn = Pick<Rollout, 'policyVersion' | 'promptIds' | 'completionIds' | 'logprobs' | 'text' | 'finishReason'>;

/** Stores what was drawn; the first sample stands. False where there was one. */
export async function saveSample(db: Tx, { trialId, ...drawn }: Drawn & { trialId: string }): Promise<boolean> {
  const rows = await db
    .update(rollouts)
    .set({ ...drawn, sampledAt: new Date() })
    .where(and(eq(rollouts.trialId, trialId), isNull(rollouts.sampledAt)))
    .returning({ trialId: rollouts.trialId });
  return rows.length > 0;
}

const { status, failure, failureMessage, value, reward, candidateId } = trials;

/** The samples of some trials with what came of them, in the order in which they joined. */
export function loadRollouts(db: Tx, trialIds: readonly string[]) {
  return db
    .select({
      rollout: rollouts,
      messages: rolloutGroups.messages,
      outcome: { status, failure, failureMessage, value, reward, candidateId },
    })
    .from(rollouts)
    .innerJoin(trials, eq(trials.id, rollouts.trialId))
    .innerJoin(rolloutGroups, and(eq(rolloutGroups.researchId, rollouts.researchId), eq(rolloutGroups.g, rollouts.g)))
    .where(inArray(rollouts.trialId, [...trialIds]))
    .orderBy(asc(rollouts.seq));
}

export type LearntFrom = Awaited<ReturnType<typeof loadRollouts>>[number];
