import { and, eq, exists, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { cleanText } from '../../domain/json/clean-text.ts';
import { encodeNumber, type EncodedNumber } from '../../domain/json/number.ts';
import { toTrialEnded } from '../../domain/trial/to-trial-ended.ts';
import type { Ruling } from '../../domain/gate/types.ts';
import type { Failure, TrialEnded, TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { jobs, researches, runs, trials } from '../schema.ts';
import type { Trial } from './proposal.ts';

export interface OutcomeInput {
  trialId: string;
  researchId: string;
  status: TrialStatus;
  failure: Failure | null;
  /** The metric; null unless completed. */
  value: number | null;
  metrics: Record<string, number>;
  evaluatorNotes: string | null;
  trusted: boolean;
  /** The attempt of `monitor` that scored, or that followed last before; undefined where nothing was scored. */
  by?: { placement: number; follower: number };
}

/** Writes a trial's outcome and, in the same statement, closes its job; undefined, and nothing written, where it has one, or a newer attempt follows the run. */
export async function writeOutcome(db: Tx, input: OutcomeInput): Promise<Trial | undefined> {
  const metrics: Record<string, EncodedNumber> = Object.fromEntries(
    Object.entries(input.metrics).map(([name, value]) => [cleanText(name), encodeNumber(value)]),
  );
  const outcome = db
    .update(trials)
    .set({
      status: input.status,
      failure: input.failure?.label ?? null,
      failureMessage: input.failure ? cleanText(input.failure.message) : null,
      value: input.value,
      metrics,
      evaluatorNotes: input.evaluatorNotes === null ? null : cleanText(input.evaluatorNotes),
      trusted: input.trusted,
      verdict: 'none',
      // Not now(): that is when the transaction began, before it waited for the lock; verdicts fall in lock order.
      endedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(trials.id, input.trialId), isNull(trials.status), input.by && isFollowedBy(input.trialId, input.by)))
    .returning();
  const ended = db.$with('ended').as(outcome);
  const closed = db.$with('closed').as(
    db
      .update(jobs)
      .set({ endedAt: sql`${ended.endedAt}` })
      .from(ended)
      .where(eq(jobs.id, ended.id))
      .returning({ id: jobs.id }),
  );
  return (await db.with(ended, closed).select().from(ended))[0];
}

/**
 * An attempt that slept while another took the run over may have measured its own sleep; while another found that the machine
 * had failed the run, that.
 */
const isFollowedBy = (trialId: string, { placement, follower }: NonNullable<OutcomeInput['by']>) =>
  exists(
    sql`(select 1 from ${runs} where ${runs.trialId} = ${trialId} and ${runs.placement} = ${placement} and ${runs.follower} = ${follower} and ${runs.shortage} is null)`,
  );

/** The verdict on a trial, in place of an earlier one. */
export async function writeRuling(db: Tx, { researchId, ...ruling }: Ruling & { researchId: string }): Promise<void> {
  await db
    .update(trials)
    .set({ verdict: ruling.verdict, reason: ruling.reason, ruledAt: sql`clock_timestamp()` })
    .where(and(eq(trials.researchId, researchId), eq(trials.n, ruling.n)));
}

/** The trial of that number; undefined where there is none. */
export async function findTrialByNumber(db: Tx, { researchId, n }: { researchId: string; n: number }) {
  const rows = await db
    .select()
    .from(trials)
    .where(and(eq(trials.researchId, researchId), eq(trials.n, n)));
  return rows[0];
}

/**
 * Seconds in which the trial in `trials` waited for an endpoint that was away: for each call that failed and was answered in the
 * end, from when it was due (after the call before it, or with the trial) to its last sending. A call that was refused is
 * sent no more, and one that came back unreadable neither: there the endpoint was not away.
 */
const awaySeconds = sql<number>`(
  select coalesce(sum(extract(epoch from again.sent_at - coalesce(
    (select max(coalesce(before.answered_at, before.sent_at)) from calls before
      where before.trial_id = again.trial_id and before.turn < again.turn),
    ${trials.createdAt}))), 0)::float8
  from calls again where again.trial_id = ${trials.id} and again.failed > 0 and again.answered_at is not null)`;

/** Seconds in which the model or policy of a trial's proposal failed to answer, until it was asked for the last time. */
export async function readEndpointOutageSeconds(db: Tx, trialId: string): Promise<number> {
  const rows = await db.select({ awaySeconds }).from(trials).where(eq(trials.id, trialId));
  return rows[0]?.awaySeconds ?? 0;
}

/** Outcomes of some trials, as `research` is told of them; trials without one are left out. */
export async function findOutcomes(db: Tx, input: { researchId: string; ns: number[] }): Promise<TrialEnded[]> {
  if (input.ns.length === 0) return [];
  const rows = await db
    .select({ trial: trials, runId: researches.runId, awaySeconds })
    .from(trials)
    .innerJoin(researches, eq(researches.id, trials.researchId))
    .where(and(eq(trials.researchId, input.researchId), inArray(trials.n, input.ns), isNotNull(trials.status)));
  return rows.map(({ trial, runId, awaySeconds }) => toTrialEnded({ ...trial, awaySeconds }, runId));
}

/**
 * Gives each trial the job that it lacks, and ends the jobs of trials that have their outcome: a worker of 0.1, which knows
 * of no jobs, may have gone on after the migration that made them. Changes nothing where nothing is amiss.
 */
export async function repairJobs(db: Tx): Promise<void> {
  await db.execute(sql`
    insert into jobs (id, kind, research_id, task_hash, pool, priority, spec, opened_at, ended_at)
    select id, 'trial', research_id, task_hash, pool, case kind when 'injected' then 1 else 3 end,
      '{"shape": "to-an-end"}', created_at, case when status is not null then coalesce(ended_at, created_at) end
    from trials where not exists (select 1 from jobs where jobs.id = trials.id)
    on conflict (id) do nothing`);
  await db.execute(sql`
    update jobs set ended_at = coalesce(trials.ended_at, now()) from trials
    where trials.id = jobs.id and jobs.ended_at is null and trials.status is not null`);
}
