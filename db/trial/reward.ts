import { and, asc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { cleanText } from '../../domain/json/clean-text.ts';
import type { Means, Ranks, Rewarded } from '../../domain/search/reward.ts';
import { PROPOSAL_KINDS } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';
import type { Research } from '../research/research.ts';
import type { Trial } from './proposal.ts';
import { inSearch } from './in-search.ts';

/** True if a row of `trials` was scored by the metric of another trial. */
const comparableWith = (trial: Pick<Trial, 'taskHash'>) => sql`exists (
  select 1 from task_versions its join task_versions mine on mine.metric_key = its.metric_key
  where its.hash = trials.task_hash and mine.hash = ${trial.taskHash})`;

/** True if a row of `trials` ended before another trial. */
const endedBefore = (trial: Pick<Trial, 'id'>) =>
  sql`trials.ended_at < (select its.ended_at from trials its where its.id = ${trial.id})`;

/** Stores a reward of one or several trials. */
export async function writeReward(
  db: Tx,
  { trialIds, rewarded }: { trialIds: readonly string[]; rewarded: Rewarded },
): Promise<void> {
  await db
    .update(trials)
    .set(columnsOf(rewarded))
    .where(inArray(trials.id, [...trialIds]));
}

/** Stores the reward of every trial that ended as a copy of this one before the reward was known. */
export async function rewardCopies(db: Tx, input: { trial: Trial; rewarded: Rewarded }): Promise<void> {
  const { trial, rewarded } = input;
  if (trial.candidateId === null) return;
  await db
    .update(trials)
    .set(columnsOf(rewarded))
    .where(
      and(
        eq(trials.researchId, trial.researchId),
        eq(trials.candidateId, trial.candidateId),
        eq(trials.status, 'cached'),
        isNull(trials.reward),
        isNotRevoked,
        isNotFixed,
        comparableWith(trial),
      ),
    );
}

/**
 * Revokes for good the rewards of this trial's candidate, of its scored runs and of their copies; later copies get the
 * same null. `reward_parts` keeps the old reward as `taken`.
 */
export async function revokeReward(db: Tx, { trial, reason }: { trial: Trial; reason: string }): Promise<void> {
  if (trial.candidateId === null) return;
  const taken = sql`coalesce(reward_parts, '{}') || jsonb_build_object('taken', coalesce(reward, 0))`;
  await db
    .update(trials)
    .set({ ...columnsOf({ reward: null, parts: {}, reason }), rewardParts: taken })
    .where(
      and(
        eq(trials.researchId, trial.researchId),
        eq(trials.candidateId, trial.candidateId),
        isNotRevoked,
        inArray(trials.status, ['completed', 'cached']),
        isNotNull(trials.rewardReason),
        comparableWith(trial),
      ),
    );
}

/** True unless the reward of a row of `trials` is fixed: an update learns from it. */
const isNotFixed = sql`not exists (
  select 1 from rollouts r join updates u on u.research_id = r.research_id and u.k = r.k
  where r.trial_id = ${trials.id} and u.batch @> to_jsonb(${trials.id}))`;

/** True unless a person revoked the reward. */
const isNotRevoked = sql`${trials.rewardParts} -> 'taken' is null`;

const columnsOf = ({ reward, parts, reason }: Rewarded) => ({
  reward,
  rewardParts: parts,
  rewardReason: cleanText(reason.slice(0, 1000)),
});

/** Means over the scored runs of a candidate under the metric of this trial; undefined if it has none. */
export async function findMeans(
  db: Tx,
  { trial, candidateId }: { trial: Trial; candidateId: string },
): Promise<Means | undefined> {
  const [row] = await db
    .select({
      value: sql<number | null>`avg(${trials.value})`,
      seconds: sql<number | null>`avg(${trials.seconds})`,
    })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, trial.researchId),
        eq(trials.candidateId, candidateId),
        inSearch(trials.kind),
        eq(trials.status, 'completed'),
        comparableWith(trial),
      ),
    );
  const { value = null, seconds = null } = row ?? {};
  return value === null ? undefined : { value, seconds };
}

/** Rank of this trial's value among the proposals that were scored before it, without copies. */
export async function findRanks(db: Tx, input: { trial: Trial; value: number; sign: 1 | -1 }): Promise<Ranks> {
  const { trial, value, sign } = input;
  const [row] = await db
    .select({
      scored: sql<number>`count(*)::int`,
      worse: sql<number>`count(*) filter (where ${trials.value} * ${sign}::int < ${value * sign}::float8)::int`,
      equal: sql<number>`count(*) filter (where ${trials.value} = ${value}::float8)::int`,
    })
    .from(trials)
    .where(
      and(
        eq(trials.researchId, trial.researchId),
        eq(trials.status, 'completed'),
        endedBefore(trial),
        inArray(trials.kind, [...PROPOSAL_KINDS]),
        sql`coalesce(${trials.runsBefore}, 0) = 0`,
        isNull(trials.reusedFrom),
        comparableWith(trial),
      ),
    );
  return row ?? { scored: 0, worse: 0, equal: 0 };
}

/** Scored proposals and copies under the current metric whose reward is still open, in the order of their ends. */
export async function findUnrewarded(db: Tx, research: Pick<Research, 'id' | 'taskHash'>): Promise<Trial[]> {
  return db
    .select()
    .from(trials)
    .where(
      and(
        eq(trials.researchId, research.id),
        inArray(trials.status, ['completed', 'cached']),
        inArray(trials.kind, [...PROPOSAL_KINDS]),
        isNull(trials.reward),
        isNotNull(trials.rewardReason),
        isNotRevoked,
        isNotFixed,
        comparableWith(research),
      ),
    )
    .orderBy(asc(trials.endedAt), asc(trials.n));
}

/** Candidates of the last proposals that ran, newest first, without this trial's own candidate. */
export async function findTried(db: Tx, input: { trial: Trial; limit: number }): Promise<string[]> {
  const { trial, limit } = input;
  const { rows } = await db.execute<{ id: string }>(sql`
    select candidate_id as id from trials
    where research_id = ${trial.researchId} and ${inArray(trials.kind, [...PROPOSAL_KINDS])}
      and status not in ('rejected', 'cached', 'lost')
      and candidate_id <> ${trial.candidateId} and ${endedBefore(trial)}
    group by candidate_id order by max(ended_at) desc limit ${limit}`);
  return rows.map(({ id }) => id);
}
