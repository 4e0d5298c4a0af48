import { sql } from 'drizzle-orm';
import { factorOf, type RewardScale } from '../../../domain/learning/statistics/reward-scale.ts';
import { meanRewardOf, type MeanReward } from '../../../domain/learning/statistics/mean-reward.ts';
import type { Tx } from '../../connect.ts';
import { versionsWithMetricOf } from '../../trial/comparable.ts';

interface Input {
  researchId: string;
  taskHash: string;
  /** Null if rewards are unknown: then the error of copies is unknown, too. */
  scale: RewardScale | null;
  /** Updates whose batches are taken together; each part gives one mean. */
  parts: readonly (readonly number[])[];
}

interface Row extends Record<string, unknown> {
  part: number;
  n: number;
  mean: number;
  variance: number | null;
  shared: number | null;
}

/**
 * Mean reward of each part with its standard error; undefined for a part without rewards. The variance of a candidate's
 * runs is pooled over all candidates of the research if the candidate itself has one run.
 */
export async function readMeanRewards(
  db: Tx,
  { researchId, taskHash, scale, parts }: Input,
): Promise<(MeanReward | undefined)[]> {
  const factor = scale && factorOf(scale);
  // Without a factor the variance of runs is unknown.
  const runReward = sql`case when t.value is null then ${scale?.failed ?? null}::float8
    else ${factor}::float8 * (t.value - ${scale?.baseline ?? null}::float8) end`;
  const { rows } = await db.execute<Row>(sql`
    with part as (
      select (p.n - 1)::int as part, u.batch
      from jsonb_array_elements(${JSON.stringify(parts)}::jsonb) with ordinality p(ks, n)
      join updates u on u.research_id = ${researchId} and u.k in (
        select value::int from jsonb_array_elements_text(p.ks))),
    sample as (
      select part.part, t.id, t.candidate_id, t.reward, coalesce((t.reward_parts ->> 'runs')::float8, 1) as runs
      from part cross join lateral jsonb_array_elements_text(part.batch) member(id) join trials t on t.id = member.id
      where t.reward is not null),
    run as (
      select t.candidate_id, count(*) - 1 as df, var_samp(${runReward}) as variance
      from trials t
      where t.research_id = ${researchId} and t.candidate_id is not null
        and t.status in ('completed', 'crashed', 'timed_out', 'diverged')
        and t.task_hash in ${versionsWithMetricOf(taskHash)}
      group by t.candidate_id having count(*) > 1),
    pooled as (select sum(variance * df) / sum(df) as variance from run),
    shared as (
      select s.part, s.candidate_id, count(*) as n, avg(s.runs) as runs
      from sample s where s.candidate_id is not null group by s.part, s.candidate_id having count(*) > 1)
    select s.part, count(*)::int as n, avg(s.reward) as mean, var_samp(s.reward) as variance, (
        select case when bool_or(coalesce(run.variance, pooled.variance) is null) then null else
          coalesce(sum(h.n * (h.n - 1) * coalesce(run.variance, pooled.variance) / h.runs)::float8, 0) end
        from shared h cross join pooled left join run on run.candidate_id = h.candidate_id
        where h.part = s.part) as shared
    from sample s group by s.part`);
  const found = new Map(rows.map(({ part, ...sums }) => [part, meanRewardOf(sums)]));
  return parts.map((_, part) => found.get(part));
}
