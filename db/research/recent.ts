import { and, desc, eq, inArray, isNotNull, ne, sql, type SQL } from 'drizzle-orm';
import { LOSSES, SLOWING_STATUSES } from '../../domain/research/pace.ts';
import { HELD_FAILURES, type RepeatedFailure, STORE_FAILED } from '../../domain/research/hold.ts';
import { PROPOSAL_KINDS, type ShownVerdict, type TrialKind, type TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { trials } from '../schema.ts';
import { shownVerdict } from '../trial/shown-verdict.ts';

export type RecentTrial = Pick<typeof trials.$inferSelect, 'n' | 'status' | 'value' | 'trusted' | 'hypothesis'> & {
  verdict: ShownVerdict | null;
};

/** Last proposals that have a verdict, newest first. Failures, and runs of a race that is open, have none. */
export function findRecentVerdicts(tx: Tx, input: { researchId: string; limit: number }): Promise<RecentTrial[]> {
  const { n, status, value, trusted, hypothesis } = trials;
  const verdict = shownVerdict(input.researchId);
  const isRuled = and(isNotNull(status), inArray(trials.kind, [...PROPOSAL_KINDS]), ne(trials.verdict, 'none'));
  return tx
    .select({ n, status, verdict, value, trusted, hypothesis })
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), isRuled))
    .orderBy(desc(n))
    .limit(input.limit);
}

/** Numbers of consecutive last trials with outcomes that slow a research down, without those the database ended. */
export async function countInARow(tx: Tx, researchId: string): Promise<{ worthless: number; lost: number }> {
  const rows = await tx.execute<{ worthless: number; lost: number }>(sql`
    select ${inARow(researchId, SLOWING_STATUSES, PROPOSAL_KINDS)} as worthless,
      ${inARow(researchId, LOSSES)} as lost`);
  return rows.rows[0] ?? { worthless: 0, lost: 0 };
}

function inARow(researchId: string, ends: readonly TrialStatus[], kinds?: readonly TrialKind[]): SQL {
  const ended = sql`research_id = ${researchId} and status is not null and failure is distinct from ${STORE_FAILED}
    ${kinds ? sql`and kind = any(${sql.param(kinds)})` : sql``}`;
  return sql`(select count(*)::int from trials where ${ended} and n > coalesce((
    select n from trials where ${ended} and status <> all(${sql.param(ends)}) order by n desc limit 1), 0))`;
}

/**
 * Last trials that ended by a failure that may hold new trials, by its label, since a trial with the result of a run.
 * Trials that ran nothing, machines lost or a person stopped are left out: they do not show that a trial can succeed.
 */
export async function findRepeatedFailures(db: Tx, researchId: string): Promise<RepeatedFailure[]> {
  const labels = HELD_FAILURES.map(({ label }) => label);
  const ofTask = HELD_FAILURES.filter((failure) => failure.ofTask).map(({ label }) => label);
  const { rows } = await db.execute<{ [K in keyof RepeatedFailure]: RepeatedFailure[K] }>(sql`
    select failure as label, count(*)::int as "inARow",
      (array_agg(failure_message order by ended_at desc))[1] as message,
      extract(epoch from clock_timestamp() - max(ended_at))::float8 as "secondsSince"
    from trials where research_id = ${researchId} and failure = any(${sql.param(labels)})
      and (failure <> all(${sql.param(ofTask)})
        or task_hash = (select task_hash from researches where id = ${researchId}))
      and ended_at > coalesce((
        select ended_at from trials where research_id = ${researchId}
          and status in ('completed', 'crashed', 'timed_out', 'diverged', 'aborted')
          and failure is distinct from 'stopped-by-operator'
        order by ended_at desc limit 1), '-infinity')
    group by failure`);
  return rows;
}

/**
 * Reason why the proposers of a research, all of which draw, have nothing new to propose: the message of a trial that
 * found so. Null if one of them did not find so, or if something changed since: the task, a proposer, a candidate of
 * another origin, a run without an outcome.
 */
export async function findNothingNew(
  tx: Tx,
  { researchId, drawers }: { researchId: string; drawers: readonly string[] },
): Promise<string | null> {
  const found = await tx.execute<{ message: string }>(sql`
    select max(found.failure_message) as message
    from trials found join researches on researches.id = found.research_id
    where found.research_id = ${researchId} and found.failure = 'nothing-new'
      and found.proposer = any(${sql.param([...drawers])}::text[]) and found.task_hash = researches.task_hash
      and not exists (
        select 1 from trials later
        where later.research_id = ${researchId} and later.ended_at > found.ended_at
          and later.kind = any(${sql.param(PROPOSAL_KINDS)})
          and (later.kind = 'injected' or later.status = 'lost' or later.failure = 'stopped-by-operator'
            or (later.created_at > found.ended_at and coalesce(later.runs_before, 0) = 0
              and later.status not in ('rejected', 'cached'))))
    having count(distinct found.proposer) = ${new Set(drawers).size}`);
  return found.rows[0]?.message ?? null;
}
