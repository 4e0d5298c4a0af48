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
      cross join lateral jsonb_array_elements_text(p.ks) number(k)
      join updates u on u.research_id = ${researchId} and u.k = number.k::int),
    sample as (
      select part.part, t.id, t.candidate_id, t.reward, greatest(1, coalesce((t.reward_parts ->> 'runs')::float8, 0)
        + coalesce((t.reward_parts ->> 'failedRuns')::float8, 0)) as runs
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
    candidate as (
      select part, candidate_id, count(*) as n, avg(runs) as runs
      from sample where candidate_id is not null group by part, candidate_id having count(*) > 1),
    noise as (
      select c.part, bool_and(coalesce(run.variance, pooled.variance) is not null) as known,
        sum(c.n * (c.n - 1) * coalesce(run.variance, pooled.variance) / c.runs)::float8 as shared
      from candidate c cross join pooled left join run on run.candidate_id = c.candidate_id group by c.part)
    select s.part, count(*)::int as n, avg(s.reward) as mean, var_samp(s.reward) as variance,
      case when coalesce(noise.known, true) then coalesce(noise.shared, 0) end as shared
    from sample s left join noise on noise.part = s.part group by s.part, noise.known, noise.shared`);
  const found = new Map(rows.map(({ part, ...sums }) => [part, meanRewardOf(sums)]));
  return parts.map((_, part) => found.get(part));
}
