import { AGENT_POOL } from '../../domain/agent/agent-pool.ts';
import { RUNS_AFTER_CLAIM } from '../../domain/gate/estimate/runs-after-claim.ts';

/** Counts trials of the research. */
const trials = (condition: string): string =>
  `select count(*)::int as value from trials where research_id = $1 and ${condition}`;

/** Lineage of the lead: the lead and its ancestors. */
const LEAD_LINEAGE = `with recursive line(id) as (
  select gate->>'leadId' from researches where id = $1
  union
  select made.parent_id from line join trials made on made.candidate_id = line.id
  where made.research_id = $1 and made.parent_id is not null)
`;
const IN_LEAD_LINEAGE = 'candidate_id in (select id from line)';

/** Counts discarded trials. The page shows `absorbed` for those whose candidate is in the lead's lineage. */
const discarded = (condition: string): string =>
  `${LEAD_LINEAGE}${trials(`status is not null and verdict = 'discard' and ${condition}`)}`;

/** Reads a number from the research's gate state. `value` may use `gate`, `sign` and `runs`, a series of runs. */
const gate = (value: string, runs = `gate->'baseline'->'series'`): string =>
  `select ${value} as value ` +
  `from (select gate, (gate->>'sign')::int as sign, ${runs} as runs from researches where id = $1) g`;

/** The series of runs that counts for a candidate: its fresh runs; before the first of them, its screening runs. */
const FRESH_OR_SCREEN = `case when (s->'fresh'->>'n')::int > 0 then s->'fresh' else s->'screen' end`;
const runsOf = (key: string): string => `(
  select ${FRESH_OR_SCREEN}
  from jsonb_array_elements(gate->'subjects') s where s->>'candidateId' = gate->>'${key}' limit 1)`;

/** The runs behind the incumbent's value: those after its claim once all of them are there, else all fresh ones. */
const BEST_RUNS = `(case when gate->>'incumbentId' = gate->>'baselineId' then gate->'baseline'->'series' else (
  select case when (s->'after'->>'n')::int >= ${RUNS_AFTER_CLAIM} then s->'after' else ${FRESH_OR_SCREEN} end
  from jsonb_array_elements(gate->'subjects') s where s->>'candidateId' = gate->>'incumbentId' limit 1) end)`;

const count = `(runs->>'n')::int`;
const isConstant = `(${count} > 1 and runs->>'min' = runs->>'max')`;
/** Mean in the metric's unit: the gate stores values times `sign`, so that higher is better. */
const MEAN = `case when ${count} > 0 then (runs->>'mean')::float8 * sign end`;
/** Sd of one run: the candidate's own from three runs on, else the pooled sd of candidates with more than one run. */
const SD = `case when (gate->'noise'->>'df')::float8 = 0 then null
  when ${isConstant} and ${count} > 2 then 0
  when ${count} > 2 then sqrt((runs->>'m2')::float8 / (${count} - 1))
  else sqrt((gate->'noise'->>'ss')::float8 / (gate->'noise'->>'df')::float8) end`;

/**
 * The best run of a proposal under the present metric and its bounds. Reused values, and candidates that a person
 * discarded, do not count.
 */
const RAW_BEST = `select case (select gate_config->>'direction' from researches where id = $1)
  when 'maximize' then max(value) else min(value) end as value
from trials join researches on researches.id = research_id
  join task_versions ran on ran.hash = trials.task_hash
  join task_versions mine on mine.hash = researches.task_hash and mine.metric_key = ran.metric_key
where research_id = $1 and kind in ('search', 'injected') and status = 'completed' and reused_from is null
  and abs(value) <= 1e60 and value between coalesce((mine.task->'metric'->>'min')::float8, '-Infinity')
    and coalesce((mine.task->'metric'->>'max')::float8, 'Infinity')
  and candidate_id not in (select jsonb_array_elements_text(coalesce(gate->'discardedByPerson', '[]')))`;

/** Sums a counter per kind (`admitted` or `refunded`) over the kinds that the budget counts. */
const counted = (column: string): string =>
  `coalesce((select sum((${column}->>kind)::int) from jsonb_array_elements_text(budget->'counts') kind), 0)`;
/** The column; null if it is not finite, or so large that a sum of it would overflow. */
const finite = (column: string): string => `case when ${column} between '-1e300' and '1e300' then ${column} end`;
const research = (value: string): string => `select ${value} as value from researches where id = $1`;
/** Sums a column over the research `$1`, or over all researches if `$1` is null. */
const spent = (column: string): string =>
  `select coalesce(sum(${finite(column)}), 0)::float8 as value from researches where $1::text is null or id = $1`;
/** Excludes places of coding agents, which are no slots for runs of trials. */
const IS_SLOT = `slots.pool <> '${AGENT_POOL}'`;
const CALLS = 'calls join trials on trials.id = calls.trial_id';
const calls = (value: string): string =>
  `select ${value} as value from ${CALLS}
where ($1::text is null or trials.research_id = $1) and calls.sent_at <= $2`;
const ofModel = (value: string): string => `${calls(value)} and calls.model = $3`;

/** Reads a number over the proposers' calls of all models, of the research `$1`; of all researches if `$1` is null. */
const rate = (value: string): string =>
  `select ${value} as value from ${CALLS} and calls.role = 'proposer'
where $1::text is null or trials.research_id = $1`;
const ANSWERS = '(count(*) filter (where calls.answer is not null or calls.answered_at is not null))';
const REQUESTS = `(${ANSWERS} + coalesce(sum(calls.failed + calls.repeated), 0))`;
const ofAnswers = (condition: string): string =>
  rate(`(count(*) filter (where ${condition}))::float8 / nullif(${ANSWERS}, 0)`);
const latency = (share: number): string =>
  rate(`percentile_cont(${share}) within group (order by ${finite('calls.latency_seconds')})::float8`);
/** Spend per claim, over the researches that called a model; null if none did, or there is no claim. */
const perClaim = (column: string): string => `select sum(${column})::float8
  / nullif((select count(*) from claims where ($1::text is null or research_id = $1) and exists (
    select 1 from ${CALLS} where trials.research_id = claims.research_id)), 0) as value
from researches where ($1::text is null or id = $1)
  and exists (${rate('1')})`;

/** Reads a number over the runs that early abort stopped: the last placements of ended trials. */
const stopped = (value: string): string => `select ${value} as value
from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
where ($1::text is null or trials.research_id = $1) and trials.status is not null
  and (runs.abort->>'abort')::boolean and not (runs.abort->>'audited')::boolean`;

/** Seconds that the stopped runs would have gone on, extrapolated from their pace. */
const SAVED = `coalesce(sum((runs.abort->>'elapsed')::float8 * (1 / (runs.abort->>'share')::float8 - 1))
  filter (where (runs.abort->>'share')::float8 > 1e-9 and (runs.abort->>'share')::float8 < 1), 0)`;

/**
 * Share of the last hours in which the slot `$1` had a run; null: all slots that are not retired. If a slot is younger
 * than that, its share counts from its creation or its first run.
 */
const busy = (hours: number): string => {
  const start = `$2 - interval '${hours} hours'`;
  return `select sum(busy)::float8 / nullif(sum(span), 0)::float8 as value from (
  select
    sum(greatest(0, extract(epoch from least(coalesce(runs.ended_at, $2), $2)
      - greatest(runs.launched_at, ${start}))))
      filter (where runs.launched_at is not null and (runs.ended_at is null or runs.ended_at > ${start})) as busy,
    greatest(0, extract(epoch from $2::timestamptz - greatest(
      least(coalesce(slots.created_at, '-infinity'), min(runs.launched_at)), ${start}))) as span
  from slots left join runs on runs.slot_id = slots.id and runs.launched_at < $2
    and (runs.ended_at is null or runs.ended_at > $2 - interval '24 hours')
  where slots.state <> 'retired' and case when $1::text is null then ${IS_SLOT} else slots.id = $1 end
  group by slots.id) each`;
};

const slots = (condition: string): string =>
  `select count(*)::int as value from slots where pool = $1 and ${condition}`;

/** Time at which the slot's previous run ended. */
const FREED_AT =
  'lag(coalesce(runs.ended_at, runs.launched_at)) over (partition by runs.slot_id order by runs.launched_at)';
const RUNS_ON_SLOTS =
  'runs join slots on slots.id = runs.slot_id join jobs on jobs.id = runs.trial_id ' +
  'left join trials on trials.id = jobs.id';

/** Quantile of the seconds for which a slot of the pool stood free although its next run was ready, in the last day. */
const gap = (share: number): string => `select percentile_cont(${share}) within group (order by
  greatest(0, extract(epoch from launched_at - greatest(freed_at, ready_at))))::float8 as value
from (select runs.launched_at, coalesce(trials.ready_at, jobs.opened_at) as ready_at,
    ${FREED_AT} as freed_at
  from ${RUNS_ON_SLOTS}
  where slots.pool = $1 and runs.launched_at > $2::timestamptz - interval '24 hours' and runs.launched_at <= $2) recent
where freed_at is not null`;

/**
 * SQL behind the numbers of the pages Research, Fleet and Spend, by the name in their `data-sql`. Each statement
 * returns one row with one column, `value`, which equals the `data-value` beside it. A person can run the SQL to check
 * a number; a test runs all of it.
 *
 * `$1` is the number's `data-of`:
 * - `trials` to `slots`: the research;
 * - `spend`, `rates` and `model`: the research; null: all researches;
 * - `pool`, `host` and `slot`: the pool, host or slot;
 * - `fleet`: null.
 *
 * `$2` is the moment of the answer, its `now`. `$3` is the model of `model`, its `data-model`.
 */
export const FIGURES = {
  'trials.started': trials('true'),
  'trials.ended': trials('status is not null'),
  'trials.running': trials('status is null'),
  'trials.completed': trials(`status = 'completed'`),
  'trials.aborted': trials(`status = 'aborted'`),
  'trials.cancelled': trials(`status = 'aborted' and failure = 'stopped-by-operator'`),
  'trials.crashed': trials(`status = 'crashed'`),
  'trials.timed_out': trials(`status = 'timed_out'`),
  'trials.diverged': trials(`status = 'diverged'`),
  'trials.rejected': trials(`status = 'rejected'`),
  'trials.cached': trials(`status = 'cached'`),
  'trials.lost': trials(`status = 'lost'`),

  'verdicts.keep': trials(`status is not null and verdict = 'keep'`),
  'verdicts.absorbed': discarded(IN_LEAD_LINEAGE),
  'verdicts.discard': discarded(`(${IN_LEAD_LINEAGE}) is not true`),
  'verdicts.confirm': trials(`status is not null and verdict = 'confirm'`),
  'verdicts.none': trials(`status is not null and coalesce(verdict, 'none') = 'none'`),

  'best.value': gate(MEAN, BEST_RUNS),
  'best.sd': gate(SD, runsOf('incumbentId')),
  'best.n': gate(count, BEST_RUNS),
  'baseline.value': gate(MEAN),
  'baseline.sd': gate(SD),
  'baseline.n': gate(count),
  'lead.value': gate(MEAN, runsOf('leadId')),
  'lead.n': gate(count, runsOf('leadId')),
  'rawBest.value': RAW_BEST,
  'claims.made': `select count(*)::int as value from claims where research_id = $1`,
  'races.running': research(`jsonb_array_length(gate->'races')`),
  'runs.wanted': `select count(*)::int as value from wanted_runs where research_id = $1 and n is null`,
  'abort.stopped': stopped('count(*)::int'),
  'abort.savedSeconds': stopped(SAVED),

  'research.window': research('"window"'),
  'research.activeSeconds': research('active_seconds'),
  'budget.trials': research(`(${counted('admitted')} - ${counted('refunded')})::int`),
  'budget.proposals': research(`coalesce((admitted->>'search')::int, 0) + coalesce((admitted->>'injected')::int, 0)`),
  'budget.hours': research('active_seconds / 3600'),
  'budget.hoursWithoutClaim': research('greatest(0, active_seconds - seconds_at_claim) / 3600'),
  'budget.slotSeconds': research('slot_seconds'),
  'budget.tokens': research('tokens'),
  'budget.usd': research('usd'),
  'limit.trials': research(`(budget->>'trials')::int`),
  'limit.proposals': research(`coalesce((budget->>'proposals')::int, 4 * (budget->>'trials')::int + 50)`),
  'limit.hours': research(`(budget->>'hours')::float8`),
  'limit.hoursWithoutClaim': research(`(budget->>'hoursWithoutClaim')::float8`),
  'limit.slotSeconds': research(`(budget->>'slotSeconds')::float8`),
  'limit.tokens': research(`(budget->>'tokens')::float8`),
  'limit.usd': research(`(budget->>'usd')::float8`),

  'slots.total': `select count(*)::int as value from slots where pool = (
  select task->'run'->'resources'->>'pool' from task_versions join researches on task_hash = hash where id = $1)
  and state <> 'retired' and (wanted or state = 'leased')`,
  'slots.leased': `select count(*)::int as value from slots where pool = (
  select task->'run'->'resources'->>'pool' from task_versions join researches on task_hash = hash where id = $1)
  and state = 'leased'`,

  'spend.usd': spent('usd'),
  'spend.tokens': spent('tokens'),
  'spend.slotSeconds': spent('slot_seconds'),
  'spend.savedSeconds': stopped(`case when count(*) > 0 then ${SAVED} end`),
  'spend.trials': `select count(*)::int as value from trials where $1::text is null or research_id = $1`,
  'spend.tokensIn': calls('coalesce(sum(calls.tokens_in), 0)::float8'),
  'spend.tokensOut': calls('coalesce(sum(calls.tokens_out), 0)::float8'),
  'spend.calls': calls('count(*)::int'),
  'spend.repeatedCalls': calls('coalesce(sum(calls.repeated), 0)::int'),
  'model.calls': ofModel('count(*)::int'),
  'model.repeated': ofModel('coalesce(sum(calls.repeated), 0)::int'),
  'model.tokensIn': ofModel('coalesce(sum(calls.tokens_in), 0)::float8'),
  'model.tokensOut': ofModel('coalesce(sum(calls.tokens_out), 0)::float8'),
  'model.usd': ofModel(`coalesce(sum(${finite('calls.usd')}), 0)::float8`),
  'model.unpriced': ofModel('(count(*) filter (where calls.answered_at is not null and calls.usd is null))::int'),

  'rates.requests': rate(`${REQUESTS}::int`),
  'rates.answers': rate(`${ANSWERS}::int`),
  'rates.badRate': ofAnswers(`calls.unused <> 'duplicate'`),
  'rates.duplicateRate': ofAnswers(
    `calls.unused = 'duplicate'
      or (calls.unused is null and calls.protocol is null
        and (trials.status = 'cached' or trials.runs_before > 0))`,
  ),
  'rates.limitedRate': rate(`coalesce(sum(calls.limited), 0)::float8 / nullif(${REQUESTS}, 0)`),
  'rates.latencyP50': latency(0.5),
  'rates.latencyP95': latency(0.95),
  'rates.usdPerClaim': perClaim(finite('usd')),
  'rates.tokensPerClaim': perClaim('tokens'),

  'fleet.busyHour': busy(1),
  'fleet.busyDay': busy(24),
  'slot.busyHour': busy(1),
  'slot.busyDay': busy(24),
  'pool.total': slots(`state <> 'retired' and (wanted or state = 'leased')`),
  'pool.leased': slots(`state = 'leased'`),
  'pool.waiting': `select count(*)::int as value from trials
left join lateral (select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
where trials.pool = $1 and trials.status is null and (trials.ready_at is not null or trials.candidate_id is not null)
  and (run.trial_id is null or run.shortage is not null or run.contention is not null
    or (run.ended_at is not null and run."end" is null)
    or (run.stop is null and run."end"->>'reason' = 'killed')
    or (run.ended_at is null and not exists (select 1 from slots where slots.trial_id = run.trial_id
      and slots.fence = run.fence and slots.state = 'leased')))
  and not exists (select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased')`,
  'pool.gapP50': gap(0.5),
  'pool.gapP95': gap(0.95),
  'host.slots': `select count(*)::int as value from slots where host = $1 and wanted and ${IS_SLOT}`,
  'host.running': `select count(*)::int as value from slots where host = $1 and state = 'leased'
  and ${IS_SLOT}`,
  'host.failures': `select coalesce((select failures from hosts where name = $1), 0) as value`,
} as const satisfies Record<string, string>;

export type FigureName = keyof typeof FIGURES;
