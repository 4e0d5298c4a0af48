import { and, asc, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { type EncodedNumber, finiteOrNull } from '../../domain/json/number.ts';
import type { FailureLabel, TrialKind, ShownVerdict, TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { runs, trials } from '../schema.ts';
import { shownColumns, type ShownTrial } from '../trial/shown-columns.ts';
import { shownVerdict } from '../trial/shown-verdict.ts';

/** One ended trial, as `perpetua log --json` prints it. Seconds are seconds on the slot, times ISO. */
export interface LogLine<S = TrialStatus> {
  trialId: string;
  n: number;
  kind: TrialKind;
  seed: number;
  ofTrial: number | null;
  candidateId: string | null;
  parentId: string | null;
  proposer: string | null;
  hypothesis: string | null;
  status: S;
  failure: FailureLabel | null;
  value: number | null;
  metrics: Record<string, EncodedNumber>;
  /** True if the candidate could not have written its score itself; null if there is no score. */
  trusted: boolean | null;
  verdict: ShownVerdict;
  /** Reason of the verdict; message of the failure if the gate gave no reason. */
  reason: string | null;
  /** Reward of the trial; null if it has none. */
  reward: number | null;
  /** Version of the policy that drew its proposal, 0 for the model before any update; null if no policy did. */
  policyVersion: number | null;
  /** Update whose batch contains it; null before there is one. */
  update: number | null;
  slot: string | null;
  attempts: number;
  startedAt: string | null;
  endedAt: string | null;
  seconds: number | null;
}

/** A trial with the policy version that drew it and the update that learnt from it. */
type Trial = Omit<ShownTrial, 'verdict'> & Pick<LogLine, 'policyVersion' | 'update'> & { verdict: ShownVerdict | null };

/** Columns of a research's `trials` that a line of the log is made of. */
export const logColumns = (researchId: string) => ({
  ...shownColumns,
  verdict: shownVerdict(researchId),
  policyVersion: sql<number | null>`case when trials.kind = 'evaluation' then (
    select (w.proposal ->> 'version')::int from wanted_runs w
    where w.research_id = trials.research_id and w.n = trials.n and w.kind = 'evaluation')
    else (select g.version from rollouts r join rollout_groups g on g.research_id = r.research_id and g.g = r.g
    where r.trial_id = trials.id) end`,
  update: sql<number | null>`(
    select u.k from rollouts r join updates u on u.research_id = r.research_id and u.k = r.k
    where r.trial_id = trials.id and u.batch @> to_jsonb(r.trial_id))`,
});

/** Ended trials in the order of their ends; only those with a number above `after`. */
export async function readLog(db: Tx, input: { researchId: string; after?: number }): Promise<LogLine[]> {
  const rows = await db
    .select(logColumns(input.researchId))
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), isNotNull(trials.status), gt(trials.n, input.after ?? 0)))
    .orderBy(asc(trials.endedAt), asc(trials.n));
  return rows.flatMap((row) => (row.status ? [toLogLine(row, row.status)] : []));
}

/** Last ended trials, newest first. */
export async function readRecent(db: Tx, input: { researchId: string; limit: number }): Promise<LogLine[]> {
  const rows = await db
    .select(logColumns(input.researchId))
    .from(trials)
    .where(and(eq(trials.researchId, input.researchId), isNotNull(trials.status)))
    .orderBy(desc(trials.endedAt), desc(trials.n))
    .limit(input.limit);
  return rows.flatMap((row) => (row.status ? [toLogLine(row, row.status)] : []));
}

/** Converts a trial's row to a line of the log. */
export const toLogLine = <S extends TrialStatus | null>(row: Trial, status: S): LogLine<S> => ({
  trialId: row.id,
  n: row.n,
  kind: row.kind,
  seed: row.seed,
  ofTrial: row.ofTrial,
  candidateId: row.candidateId,
  parentId: row.parentId,
  proposer: row.proposer,
  hypothesis: row.hypothesis,
  status,
  failure: row.failure,
  value: finiteOrNull(row.value),
  metrics: row.metrics ?? {},
  trusted: finiteOrNull(row.value) === null ? null : row.trusted,
  verdict: row.verdict ?? 'none',
  reason: row.reason ?? row.failureMessage,
  reward: finiteOrNull(row.reward),
  policyVersion: row.policyVersion,
  update: row.update,
  slot: row.slotId,
  attempts: row.attempts,
  startedAt: row.startedAt?.toISOString() ?? null,
  endedAt: row.endedAt?.toISOString() ?? null,
  seconds: finiteOrNull(row.seconds),
});

export type Tried = Awaited<ReturnType<typeof readTried>>[number];

/** Ended trials of some kinds, by number, with the output tail and the host of their last run. */
export function readTried(db: Tx, { researchId, kinds }: { researchId: string; kinds: TrialKind[] }) {
  const { id: trialId, kind, hypothesis, status, failure, failureMessage, value, verdict, seconds } = trials;
  return db
    .select({
      trialId,
      kind,
      hypothesis,
      status,
      failure,
      value,
      verdict,
      seconds,
      message: failureMessage,
      logTail: runs.logTail,
      host: runs.host,
    })
    .from(trials)
    .leftJoin(runs, and(eq(runs.jobId, trials.id), eq(runs.placement, trials.placement)))
    .where(and(eq(trials.researchId, researchId), inArray(trials.kind, kinds), isNotNull(trials.status)))
    .orderBy(asc(trials.n));
}
