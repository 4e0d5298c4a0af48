import { and, eq, gt, sql, type SQL } from 'drizzle-orm';
import type { Credit } from '../../domain/search/mixture/arm.ts';
import { LAST_SCORES, type RankAmongLast } from '../../domain/search/mixture/credit.ts';
import { cleanText } from '../../domain/json/clean-text.ts';
import type { Tx } from '../connect.ts';
import { arms } from '../schema.ts';
import type { Trial } from '../trial/proposal.ts';

/** An arm's stored sums, by its key. */
export type StoredArm = Credit & {
  key: string;
  /** Error of its endpoint; null if the endpoint answers, as far as is known. */
  down: string | null;
  /** True while the arm is not chosen for that error. */
  isDown: boolean;
};

/** Arms from which a research chose, in the order of their keys. */
export async function readArms(db: Tx, { researchId }: { researchId: string }): Promise<StoredArm[]> {
  const { key, chosen, trials, scored, reward, seconds, usd, down } = arms;
  return db
    .select({
      key,
      chosen,
      trials,
      scored,
      reward,
      seconds,
      usd,
      down,
      isDown: sql<boolean>`coalesce(${arms.downUntil} > clock_timestamp(), false)`,
    })
    .from(arms)
    .where(eq(arms.researchId, researchId))
    .orderBy(arms.key);
}

/** Counts a trial that begins with an arm. The caller holds the research's lock, and stores the choice. */
export async function countChoice(db: Tx, { researchId, key }: { researchId: string; key: string }): Promise<void> {
  await db
    .insert(arms)
    .values({ researchId, key, chosen: 1 })
    .onConflictDoUpdate({ target: [arms.researchId, arms.key], set: { chosen: sql`${arms.chosen} + 1` } });
}

/** Takes back the count of a trial that gets another arm. */
export async function uncountChoice(db: Tx, { researchId, key }: { researchId: string; key: string }): Promise<void> {
  await db
    .update(arms)
    .set({ chosen: sql`${arms.chosen} - 1` })
    .where(and(eq(arms.researchId, researchId), eq(arms.key, key)));
}

/** Adds an outcome to its arm, and stores its reward with the trial. The caller writes the outcome. */
export async function creditArm(
  db: Tx,
  { trial, credit }: { trial: Pick<Trial, 'id' | 'researchId' | 'arm'>; credit: Omit<Credit, 'chosen'> },
): Promise<void> {
  const { trials, scored, reward, seconds, usd } = credit;
  await db.execute(sql`
    with rewarded as (update trials set arm_reward = ${trials > 0 ? reward : null} where id = ${trial.id})
    update arms set trials = trials + ${trials}, scored = scored + ${scored}, reward = reward + ${reward},
      seconds = seconds + ${seconds}, usd = usd + ${usd}
    where research_id = ${trial.researchId} and key = ${trial.arm}`);
}

/**
 * Rank of a trial's value among the last scores of the mixture under the same metric, one index scan; with USD of the
 * trial's proposal.
 */
export async function rankAmongLast(
  db: Tx,
  { trial, direction }: { trial: Trial; direction: 'minimize' | 'maximize' },
): Promise<RankAmongLast & { usd: number }> {
  const isWorse = direction === 'minimize' ? sql`last.value > ${trial.value}` : sql`last.value < ${trial.value}`;
  const { rows } = await db.execute<RankAmongLast & { usd: number } & Record<string, unknown>>(sql`
    with last as (
      select value, task_hash from trials
      where research_id = ${trial.researchId} and arm is not null and value is not null and id <> ${trial.id}
      order by ended_at desc limit ${LAST_SCORES})
    select count(*)::int as scored, (count(*) filter (where ${isWorse}))::int as worse,
      (count(*) filter (where last.value = ${trial.value}))::int as equal,
      coalesce((select sum(usd) from calls where trial_id = ${trial.id} and role = 'proposer'), 0)::float8 as usd
    from last join task_versions its on its.hash = last.task_hash
    where its.metric_key = (select metric_key from task_versions mine where mine.hash = ${trial.taskHash})`);
  if (!rows[0]) throw new Error(`Expected a rank of trial ${trial.id}, found none`);
  return rows[0];
}

/** Seconds for which an arm is not chosen after its endpoint was down for the first time; each further time doubles. */
const DOWN_SECONDS = 300;
/** Most doublings: 80 minutes. */
const MOST_DOUBLINGS = 4;
/** Longest wait that an endpoint may ask for. */
const LONGEST_WAIT_SECONDS = 86_400;

/**
 * Stores that the endpoint of some arms is down, so that they are not chosen for some minutes, or for the `seconds`
 * that the endpoint asked for. Then a trial tries it again. Each failure after that time doubles the minutes.
 */
export async function markArmsDown(
  db: Tx,
  input: { researchId: string; keys: readonly string[]; why: string; seconds: number },
): Promise<void> {
  const { researchId, keys, why, seconds } = input;
  const waited = (doublings: SQL): SQL => sql`clock_timestamp() + interval '1 second'
    * greatest(least(${seconds}::float8, ${LONGEST_WAIT_SECONDS}), ${DOWN_SECONDS}::int * power(2, ${doublings}))`;
  // A trial that failed together with the one that marked the arm says nothing new.
  await db.execute(sql`
    insert into arms (research_id, key, down, down_times, down_until)
    select ${researchId}, key, ${cleanText(why)}, 1, ${waited(sql`0`)}
    from unnest(${sql.param([...keys])}::text[]) key
    on conflict (research_id, key) do update set down = excluded.down, down_times = arms.down_times + 1,
      down_until = ${waited(sql`least(arms.down_times, ${MOST_DOUBLINGS}::int)`)}
    where coalesce(arms.down_until, '-infinity') <= clock_timestamp()`);
}

/** Stores that the endpoint of an arm answers. */
export async function markArmUp(db: Tx, { researchId, key }: { researchId: string; key: string }): Promise<void> {
  await db
    .update(arms)
    .set({ down: null, downUntil: null, downTimes: 0 })
    .where(and(eq(arms.researchId, researchId), eq(arms.key, key), gt(arms.downTimes, 0)));
}
