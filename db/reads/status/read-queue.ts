import { sql, type SQL } from 'drizzle-orm';
import { AGENT_POOL } from '../../../domain/agent/agent-pool.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import { PREPARING_PREFIXES } from '../../../domain/fleet/preparing.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import type { Queue } from '../../../view/wait.ts';
import type { Tx } from '../../connect.ts';

/** Most leases in the answer. */
const HOLDERS = 5;

/**
 * True for a row `run`, the last one of its trial, whose machine failed or was too busy, so that the trial will be
 * placed again.
 */
export const IS_LOST = sql`coalesce(
  (run.ended_at is not null and run."end" is null) or run.shortage is not null
  or run.contention is not null
  or (run.stop is null and run."end"->>'reason' = 'killed')
  or (run.ended_at is null and not exists (
    select 1 from slots where slots.trial_id = run.trial_id and slots.fence = run.fence and slots.state = 'leased')),
  false)`;

/** True for a job whose host is being prepared: it requests a slot after that. `waitsFor`: the column of its wait. */
const isPreparing = (waitsFor: SQL): SQL =>
  sql`coalesce(${sql.join(
    PREPARING_PREFIXES.map((prefix) => sql`starts_with(${waitsFor}, ${prefix})`),
    sql` or `,
  )}, false)`;

/** True for a trial whose host is being prepared. */
export const IS_PREPARING = isPreparing(sql`trials.waits_for`);

/** Agents that wait for a place, to make proposals of a research, or of its trial with number `n`. */
const waitingAgents = ({ researchId, n }: { researchId: string; n?: number }): SQL => {
  const named = n === undefined ? sql`` : sql`and jobs.id = ${proposalJobOf(trialIdOf(researchId, n))}`;
  return sql`
    select jobs.pool, coalesce(run.ended_at, run.launched_at, jobs.opened_at) as since
    from jobs
    left join lateral (
      select * from runs where runs.trial_id = jobs.id order by placement desc limit 1) run on true
    where jobs.pool = ${AGENT_POOL} and jobs.research_id = ${researchId} and jobs.ended_at is null ${named}
      and (run.trial_id is null or ${IS_LOST})
      and not ${isPreparing(sql`jobs.waits_for`)}
      and not exists (select 1 from slots where slots.trial_id = jobs.id and slots.state = 'leased')`;
};

/** Queue of a research's trials and agents, or of the trial with number `n`; null if none waits. */
export async function readQueue(db: Tx, input: { researchId: string; n?: number }): Promise<Queue | null> {
  const named = input.n === undefined ? sql`` : sql`and trials.n = ${input.n}`;
  const found = await db.execute<Queue & Record<string, unknown>>(sql`
    with waiting as (
      select trials.pool, coalesce(
          run.ended_at, (select free_since from slots where slots.id = run.slot_id),
          run.launched_at, trials.ready_at) as since
      from trials
      left join lateral (
        select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
      where trials.research_id = ${input.researchId} and trials.status is null ${named}
        and (trials.ready_at is not null or trials.candidate_id is not null)
        and (run.trial_id is null or ${IS_LOST})
        and not ${IS_PREPARING}
        and not exists (select 1 from slots where slots.trial_id = trials.id and slots.state = 'leased')
      union all ${waitingAgents(input)}),
    first as (select pool, since from waiting order by since limit 1)
    select first.pool, (select count(*)::int from waiting where waiting.pool = first.pool) as trials,
      coalesce(extract(epoch from now() - first.since), 0)::float8 as seconds,
      (select count(*)::int from slots where slots.pool = first.pool
        and (state = 'leased' or (wanted and state <> 'retired' and ${LENDS}))) as slots,
      (select count(*)::int from slots where slots.pool = first.pool and state = 'leased') as taken,
      coalesce((
        select json_agg(
          json_build_object('trial', trial_id, 'seconds', extract(epoch from now() - leased_at)::float8)
          order by leased_at)
        from (select trial_id, leased_at from slots where slots.pool = first.pool and state = 'leased'
          order by leased_at limit ${HOLDERS}) held), '[]') as holders,
      coalesce((
        select json_agg(json_build_object('host', name, 'why', case
            when state = 'draining' then 'is drained'
            when quarantined_until is not null then 'is in quarantine: ' || coalesce(last_error, 'it failed')
            when seen_at is null then 'was not reached yet'
            else 'lends no slot: ' || coalesce(note, 'see perpetua fleet') end) order by name)
        from hosts where hosts.pool = first.pool and state <> 'removed'
          and (state = 'draining' or quarantined_until is not null
            or not exists (select 1 from slots where slots.host = hosts.name and wanted))), '[]') as away
    from first`);
  return found.rows[0] ?? null;
}

/** True for a slot whose host lends. Slots of a worker's own machine have no row in `hosts`, and lend. */
const LENDS = sql`not exists (
  select 1 from hosts
  where hosts.name = slots.host and (hosts.state <> 'serving' or hosts.quarantined_until is not null))`;
