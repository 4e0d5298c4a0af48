import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';
import { BATCH, GROUP, RUN_SECONDS } from './task.ts';

interface FillInput {
  id: string;
  /** Number of the first trial that has a curve. */
  from: number;
  /** Present time, up to which running trials have points. */
  now: Date;
  hostile: boolean;
}

/** Points of a whole run. */
const POINTS = 20;

/** Inserts the curves of the runs. A running trial has the points up to now. */
export async function fillPoints(db: Db, { id, from, now, hostile }: FillInput): Promise<void> {
  await db.execute(sql`
    insert into points (trial_id, placement, seq, step, elapsed, value)
    select r.trial_id, r.placement, s - 1, s * 1000 / ${POINTS}::int, s * ${RUN_SECONDS / POINTS}::float8,
      case when ${hostile} and s % 7 = 3 then 'NaN'::float8 when ${hostile} and s % 7 = 5 then 'Infinity'::float8
        else coalesce(t.value, 2.9) + 1.7 * exp(-5.0 * s / ${POINTS}::int) + 0.015 * sin(t.n * 12.9 + s * 7.2) end
    from trials t join runs r on r.trial_id = t.id and r.placement = t.placement
    cross join generate_series(1, ${POINTS}::int) s
    where t.research_id = ${id} and t.n >= ${from} and s * ${RUN_SECONDS / POINTS}::float8
      <= coalesce(t.seconds * 1.1, extract(epoch from ${now.toISOString()}::timestamptz - r.launched_at)::float8)`);
}

/**
 * Inserts a model call for each proposal, or two if the first answer was invalid, with their costs. One model has no
 * price.
 */
export async function fillCalls(db: Db, { id }: Pick<FillInput, 'id'>): Promise<void> {
  const system = 'You improve a program by small edits. Answer with one edit and one sentence that says why.';
  await db.execute(sql`
    insert into calls (trial_id, turn, model, request, answer, outcome, error, tokens_in, tokens_out, usd,
      latency_seconds, repeated, failed, limited, unused, sent_at, answered_at)
    select t.id, turn, model, jsonb_build_object('model', model, 'messages', jsonb_build_array(
        jsonb_build_object('role', 'system', 'content', ${system}::text),
        jsonb_build_object('role', 'user', 'content',
          'The best has a loss of 2.7. Trials so far: ' || t.n || '. Propose the next.'))),
      case when answered then 'hypothesis: ' || coalesce(t.hypothesis, '') || E'\n<<<<\nold\n====\nnew\n>>>>' end,
      case when answered then '{"finishReason": "stop"}'::jsonb end, null,
      case when answered then tokens_in end, case when answered then tokens_out end,
      case when answered and model <> 'qwen3-coder' then tokens_in * 0.25e-6 + tokens_out * 2e-6 end,
      case when answered then 3 + t.n % 11 end, (t.n % 97 = 0)::int,
      (t.n % 40 = 0)::int, (t.n % 80 = 0)::int,
      case when answered and turn = 0 and t.n % 9 = 0 then 'unreadable-answer' end,
      t.created_at + turn * interval '1 second', case when answered then t.created_at + interval '4 seconds' end
    from trials t
    cross join lateral generate_series(0, case when t.n % 9 = 0 then 1 else 0 end) turn
    cross join lateral (select
      case t.n % 5 when 0 then 'qwen3-coder' when 1 then 'gpt-5' else 'gpt-5-mini' end as model,
      3000 + t.n % 900 as tokens_in, 200 + t.n % 300 as tokens_out, t.ready_at is not null as answered) call
    where t.research_id = ${id} and t.proposer = 'llm'`);
  await db.execute(sql`
    update researches set tokens = spent.tokens, usd = spent.usd
    from (select coalesce(sum(tokens_in + tokens_out), 0) as tokens, coalesce(sum(usd), 0) as usd
      from calls join trials on trials.id = trial_id where research_id = ${id}) spent
    where id = ${id}`);
}

/**
 * Inserts the learning of a policy from the proposals: groups, samples, rewards, and for each whole batch an update
 * with its version. Some updates make a gate fire. With `halted`, a gate has ended the learning.
 */
export async function fillLearning(db: Db, { id, halted }: { id: string; halted: boolean }): Promise<void> {
  await db.execute(sql`
    update trials set reward = greatest(0, (2.99 - coalesce(value, 2.99)) / 2.99),
      reward_reason = case when value is null then 'no value' else 'improvement over the baseline' end,
      reward_parts = case when value is null then '{}'::jsonb else jsonb_build_object('gain', (2.99 - value) / 2.99) end
    where research_id = ${id} and kind = 'search' and status is not null and status <> 'lost'`);
  await db.execute(sql`
    with samples as (
      select id as trial_id, parent_id, created_at, row_number() over (order by n)::int as seq
      from trials where research_id = ${id} and kind = 'search'),
    grouped as (
      select *, (seq - 1) / ${GROUP}::int + 1 as g, (seq - 1) / ${BATCH}::int + 1 as k from samples),
    made as (
      insert into rollout_groups (research_id, g, parent_id, parent_reason, version, prompt, created_at)
      select distinct on (g) ${id}, g, parent_id, 'lead', k - 1,
        '{"form": "text", "text": "Improve the program.", "start": ""}'::jsonb, created_at from grouped order by g, seq)
    insert into rollouts (trial_id, research_id, seq, g, k, policy_version, prompt_ids, completion_ids, logprobs, text,
      finish_reason, sampled_at)
    select trial_id, ${id}, seq, g, k,
      case when k = 1 then 'base' else encode(sha256(('version ' || k - 1)::bytea), 'hex') end,
      '{1,2,3}', '{4,5,6}', '{-0.5,-1.25,-0.1}', 'an answer', 'stop', created_at + interval '3 seconds' from grouped`);
  await db.execute(sql`
    insert into updates (research_id, k, state, batch, parent, parent_checkpoint, step_key, checkpoint, metrics,
      versions, seconds, skipped, fired, held, due_at, begun_at, ended_at)
    select ${id}, r.k, 'done', jsonb_agg(r.trial_id order by r.seq), r.k - 1,
      case when r.k > 1 then encode(sha256(('version ' || r.k - 1)::bytea), 'hex') end,
      encode(sha256(('step ' || r.k)::bytea), 'hex'), encode(sha256(('version ' || r.k)::bytea), 'hex'),
      jsonb_build_object('entropy', 1.6 * exp(-r.k / 30.0) + 0.05 * sin(r.k), 'klShare', 0.01 * r.k,
        'gradNorm', 1 + 0.5 * sin(r.k * 2.1), 'rewardMean', coalesce(avg(t.reward), 0), 'loss', 0.2 * exp(-r.k / 20.0)),
      '{"torch": "2.9"}', '{"load": 1.5, "forward": 6, "backward": 11}',
      case when r.k % 4 = 0
        then jsonb_build_array(jsonb_build_object('id', min(r.trial_id), 'reason', 'no spread in its group'))
        else '[]' end,
      case when r.k % 7 = 0
        then jsonb_build_array(jsonb_build_object('gate', jsonb_build_object('metric', 'entropy', 'below', 1.1,
          'then', 'adjust', 'adjust', jsonb_build_object('key', 'entropyCoefficient', 'by', 2)), 'value', 1.05,
          'words', 'entropy 1.05 is below 1.1: entropyCoefficient 0.01 → 0.02')) else '[]' end,
      r.k = 3, max(t.ended_at), max(t.ended_at) + interval '1 second', max(t.ended_at) + interval '20 seconds'
    from rollouts r join trials t on t.id = r.trial_id
    where r.research_id = ${id} group by r.k having count(*) = ${BATCH} and bool_and(t.status is not null)`);
  await db.execute(sql`
    insert into policies (research_id, in_force, halted)
    select ${id}, coalesce(max(k), 0),
      case when ${halted} then 'entropy 0.04 is below 0.05 for 5 updates: learning halts' end
    from updates where research_id = ${id}`);
}
