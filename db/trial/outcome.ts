import { and, eq, exists, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { proposalJobOf } from '../../domain/agent/proposal-job.ts';
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
  /** Cases of the evaluator; absent: it reported none. */
  feedback?: Trial['feedback'];
  trusted: boolean;
  /** Id of the trial of another research that measured the value. */
  reusedFrom?: string;
  /** Artefact that executes code when the evaluator loads it, in words. */
  artefactCode?: string | null;
  /** Monitor attempt that scored, or that followed the run last; undefined if nothing was scored. */
  by?: { placement: number; follower: number };
}

/**
 * Writes a trial's outcome and closes its jobs, in one statement. The next reconcile frees a slot that one of them
 * still holds. Undefined, and nothing written, if the trial has an outcome, or if a newer attempt follows the run.
 */
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
      reusedFrom: input.reusedFrom ?? null,
      metrics,
      evaluatorNotes: input.evaluatorNotes === null ? null : cleanText(input.evaluatorNotes),
      feedback: input.feedback ?? null,
      trusted: input.trusted,
      artefactCode: input.artefactCode ?? null,
      verdict: 'none',
      // Not now(), the start of the transaction, which then waited for the lock: verdicts fall in lock order.
      endedAt: sql`clock_timestamp()`,
    })
    .where(and(eq(trials.id, input.trialId), isNull(trials.status), input.by && isFollowedBy(input.trialId, input.by)))
    .returning();
  const ended = db.$with('ended').as(outcome);
  const closed = db.$with('closed').as(
    db
      .update(jobs)
      // The job of the proposal has usually ended before.
      .set({ endedAt: sql`coalesce(${jobs.endedAt}, ${ended.endedAt})` })
      .from(ended)
      .where(inArray(jobs.id, [input.trialId, proposalJobOf(input.trialId)]))
      .returning({ id: jobs.id }),
  );
  return (await db.with(ended, closed).select().from(ended))[0];
}

/**
 * True if the attempt still follows the run, and no shortage is stored. An attempt that was suspended while another
 * took over may have measured its own suspension. The other attempt may have found that the machine made the run fail.
 */
const isFollowedBy = (trialId: string, { placement, follower }: NonNullable<OutcomeInput['by']>) =>
  exists(
    sql`(select 1 from ${runs} where ${runs.jobId} = ${trialId} and ${runs.placement} = ${placement}
      and ${runs.follower} = ${follower} and ${runs.shortage} is null)`,
  );

/** Stores the verdict on a trial in place of an earlier one. */
export async function writeRuling(db: Tx, { researchId, ...ruling }: Ruling & { researchId: string }): Promise<void> {
  await db
    .update(trials)
    .set({ verdict: ruling.verdict, reason: ruling.reason, ruledAt: sql`clock_timestamp()` })
    .where(and(eq(trials.researchId, researchId), eq(trials.n, ruling.n)));
}

/** Trial with a number; undefined if there is none. */
export async function findTrialByNumber(db: Tx, { researchId, n }: { researchId: string; n: number }) {
  const rows = await db
    .select()
    .from(trials)
    .where(and(eq(trials.researchId, researchId), eq(trials.n, n)));
  return rows[0];
}

/**
 * Seconds for which the trial in `trials` waited for an endpoint that was down. Each call that failed and was answered
 * in the end counts, and each call that failed until another arm got the trial. It waited from when it was due (after
 * the call before it, or at the trial's creation) to its last sending. A call that was refused, or whose answer was
 * unreadable, is not sent again: the endpoint was not down.
 */
const awaySeconds = sql<number>`(
  select coalesce(sum(extract(epoch from again.sent_at - coalesce(
    (select max(coalesce(before.answered_at, before.sent_at)) from calls before
      where before.trial_id = again.trial_id and before.turn < again.turn),
    ${trials.createdAt}))), 0)::float8
  from calls again where again.trial_id = ${trials.id} and again.protocol is null and again.failed > 0
    and (again.answered_at is not null or again.turn < ${trials.firstTurn}))`;

/** Seconds for which the model or policy of a trial's proposal did not answer, up to the last request. */
export async function readEndpointOutageSeconds(db: Tx, trialId: string): Promise<number> {
  const rows = await db.select({ awaySeconds }).from(trials).where(eq(trials.id, trialId));
  return rows[0]?.awaySeconds ?? 0;
}

/** Outcomes of trials in the form that the `research` workflow receives; trials without an outcome are left out. */
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
 * Creates missing jobs of trials, and closes jobs of trials that have an outcome. A worker of 0.1, which writes no
 * jobs, may have continued after the migration that created jobs. Changes nothing in a consistent database.
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
