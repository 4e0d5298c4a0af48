import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { AnswerTokens } from '../../domain/learning/answer-tokens.ts';
import type { FailureLabel, TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { rolloutGroups, rollouts, trials } from '../schema.ts';
import { inSearch } from '../trial/in-search.ts';

export type Rollout = typeof rollouts.$inferSelect;

/** Sample of a trial; undefined if the trial has joined no group. */
export async function findRollout(db: Tx, trialId: string): Promise<Rollout | undefined> {
  return (await db.select().from(rollouts).where(eq(rollouts.trialId, trialId)))[0];
}

type Drawn = Pick<Rollout, 'policyVersion' | 'promptIds' | 'completionIds' | 'logprobs' | 'text' | 'finishReason'> & {
  answerTokens: AnswerTokens | null;
};

/** Stores a sample; the first sample stays. */
export async function saveSample(
  db: Tx,
  { trialId, answerTokens, ...drawn }: Drawn & { trialId: string },
): Promise<void> {
  const counts = { valueTokens: answerTokens?.value ?? null, answerTokens: answerTokens?.answer ?? null };
  await db
    .update(rollouts)
    .set({ ...drawn, ...counts, sampledAt: new Date() })
    .where(and(eq(rollouts.trialId, trialId), isNull(rollouts.sampledAt)));
}

/** Outcome of a run of the same candidate, for a copy that did not run; null for other trials. A score comes first. */
const first = sql<{ status: TrialStatus; failure: FailureLabel | null; value: number | null } | null>`
  (select jsonb_build_object('status', f.status, 'failure', f.failure, 'value', f.value) from trials f
    where ${trials.status} = 'cached'
      and f.research_id = ${trials.researchId} and f.candidate_id = ${trials.candidateId}
      and f.id <> ${trials.id} and ${inSearch(sql`f.kind`)} and f.status not in ('lost', 'cached')
      and coalesce(f.failure, '') <> 'stopped-by-operator' order by f.status = 'completed' desc, f.n limit 1)`;

const { status, failure, failureMessage, value, reward, rewardParts, runsBefore } = trials;

/** Samples of trials with their outcomes, in the order of the trials' numbers. */
export function loadRollouts(db: Tx, trialIds: readonly string[]) {
  return db
    .select({
      rollout: rollouts,
      prompt: rolloutGroups.prompt,
      outcome: { status, failure, failureMessage, value, reward, rewardParts, runsBefore, first },
    })
    .from(rollouts)
    .innerJoin(trials, eq(trials.id, rollouts.trialId))
    .innerJoin(rolloutGroups, and(eq(rolloutGroups.researchId, rollouts.researchId), eq(rolloutGroups.g, rollouts.g)))
    .where(inArray(rollouts.trialId, [...trialIds]))
    .orderBy(asc(trials.n));
}

/** A sample with its outcome. */
export type LearntSample = Awaited<ReturnType<typeof loadRollouts>>[number];

/** Trials whose samples were for an update and came too late for its batch. */
export async function findLateSamples(db: Tx, { researchId, k }: { researchId: string; k: number }): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select r.trial_id as id from rollouts r join updates u on u.research_id = r.research_id and u.k = r.k
    join trials t on t.id = r.trial_id
    where r.research_id = ${researchId} and r.k = ${k} and not u.batch @> to_jsonb(r.trial_id) order by t.n`);
  return rows.rows.map(({ id }) => id);
}
