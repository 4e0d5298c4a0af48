import { and, eq, sql } from 'drizzle-orm';
import type { AbortRecord } from '../../domain/abort/record.ts';
import type { CurvePoint } from '../../domain/abort/types.ts';
import type { Tx } from '../connect.ts';
import { runs } from '../schema.ts';

type Key = { jobId: string; placement: number };

const byKey = (key: Key) => and(eq(runs.jobId, key.jobId), eq(runs.placement, key.placement));

/**
 * Stores an abort rule's record of a run. A record that wishes to stop the run stays. Returns the stored record;
 * undefined: a newer monitor took over.
 */
export async function saveAbort(
  db: Tx,
  input: Key & { follower: number; record: AbortRecord },
): Promise<AbortRecord | undefined> {
  const { record, follower } = input;
  const rows = await db
    .update(runs)
    .set({
      abort: sql`case when (${runs.abort}->>'abort')::boolean then ${runs.abort}
        else ${JSON.stringify(record)}::jsonb end`,
    })
    .where(and(byKey(input), eq(runs.follower, follower)))
    .returning({ abort: runs.abort });
  return rows[0]?.abort ?? undefined;
}

/** An ended run from which a rule learns about other runs. */
export interface EndedCurve extends Key {
  n: number;
  /** Text from Postgres: a Date would lose the microseconds. */
  endedAt: string;
  /** Null if the run was stopped or failed. */
  value: number | null;
  /** True for a run that failed although the rule wished to stop it: its curve says nothing. */
  failed: boolean;
  /** True for a run that continued although the rule wished to stop it, so that its end is known. */
  audited: boolean;
  /** Value to beat that the audit uses; null if the rule did not judge the run, or had no value to beat. */
  incumbent: number | null;
  /** Probability with which the audit chose the run; null if the rule did not wish to stop it. */
  auditProbability: number | null;
  /** Share of the budget at which the rule wished to stop the run; null if it did not. */
  wanted: number | null;
}

/** A task version in a research, and the audited rule. */
interface AuditedRule {
  researchId: string;
  taskHash: string;
  /** The rule with its settings (`ruleText`). */
  rule: string;
}

const isRecordOf = (rule: string) => sql`coalesce(runs.abort->>'by', runs.abort->>'rule') = ${rule}`;

/** True for a trial that failed by its own fault, not by a machine's or a person's. */
export const FAILED = sql`(trials.status in ('crashed', 'timed_out', 'diverged'))`;

/**
 * Proposals of a task version that ended after the given one, in the order of their ends. Runs that the gate requested
 * are left out: they repeat one candidate (baseline) or a candidate chosen for a good result (confirm, remeasure), so
 * their spread says nothing about the next proposal.
 *
 * Reading only behind the last end misses none. `settle` dates an end while its transaction holds the research's row
 * lock, and keeps the lock until the commit. A later end waits for the lock, so ends become visible in the order of
 * their dates. A clock that is set back breaks this order; the next start of a worker repairs it.
 */
export async function findEndedCurves(
  db: Tx,
  input: AuditedRule & { after: Pick<EndedCurve, 'n' | 'endedAt'> | null },
): Promise<EndedCurve[]> {
  const { researchId, taskHash, rule, after } = input;
  const later = after && sql`and (trials.ended_at, trials.n) > (${after.endedAt}::timestamptz, ${after.n}::int)`;
  const rows = await db.execute<EndedCurve & Record<string, unknown>>(sql`
    select trials.n, trials.id as "jobId", runs.placement, trials.ended_at::text as "endedAt", trials.value,
      ${FAILED} as failed, coalesce((runs.abort->>'audited')::boolean, false) as audited,
      case when ${isRecordOf(rule)}
        then coalesce(runs.abort->>'judgedBy', runs.abort->>'incumbent')::float8 end as incumbent,
      (runs.abort->>'auditProbability')::float8 as "auditProbability",
      case when (runs.abort->>'abort')::boolean then (runs.abort->>'share')::float8 end as wanted
    from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    where trials.research_id = ${researchId} and trials.task_hash = ${taskHash} ${later ?? sql``}
      and trials.kind in ('search', 'injected')
      and (trials.status = 'completed' or (runs.abort->>'abort')::boolean and (${FAILED}
        -- An audited run that a person ended has no end to learn from.
        or trials.status = 'aborted' and not (runs.abort->>'audited')::boolean))
    order by trials.ended_at, trials.n`);
  return rows.rows;
}

/** Number of trials, up to `most`, that the rule wished to stop in the run that counts, audited ones included. */
export async function countAbortDecisions(
  db: Tx,
  { researchId, taskHash, rule, most }: AuditedRule & { most: number },
): Promise<number> {
  const rows = await db.execute<{ wishes: number }>(sql`
    select count(*)::int as wishes from (
      select trials.id from runs join trials on trials.id = runs.trial_id and runs.placement = trials.placement
      where trials.research_id = ${researchId} and trials.task_hash = ${taskHash}
        and (runs.abort->>'abort')::boolean and ${isRecordOf(rule)}
      limit ${most}::int) as wished`);
  return rows.rows[0]?.wishes ?? 0;
}

/**
 * Points of a run, in order. A run with more than `most` points is thinned to every k-th, the last, and the first of
 * each thousandth of its time, its steps and its shares. Nearly all points may lie in one tenth of the run. The edges
 * of gaps in the times stay, too.
 */
export async function loadCurve(db: Tx, { most, ...run }: Key & { most: number }): Promise<CurvePoint[]> {
  return (await loadCurves(db, { runs: [run], most }))[0] ?? [];
}

/** Thousandth of the largest value that a point's value lies in; null for a negative value and for NaN. */
const thousandth = (column: 'elapsed' | 'step' | 'share') => {
  const [value, largest] = [sql.raw(`points.${column}`), sql.raw(`last.${column}`)];
  return sql`case when ${largest} > 0 and ${value} between 0 and ${largest}
    then width_bucket(${value}, 0, ${largest}, 1000) end`;
};

/** Points of several runs, as `loadCurve` returns them, in the order of the runs. */
export async function loadCurves(
  db: Tx,
  { runs: keys, most }: { runs: readonly Key[]; most: number },
): Promise<CurvePoint[][]> {
  const [ids, placements] = [keys.map(({ jobId }) => jobId), keys.map(({ placement }) => placement)];
  const found = await db.execute<CurvePoint & { run: number } & Record<string, unknown>>(sql`
    select (one.run - 1)::int as run, p.step, p.elapsed, p.value, p.share
    from unnest(${sql.param(ids)}::text[], ${sql.param(placements)}::int[])
      with ordinality as one(trial_id, placement, run)
    cross join lateral (
      select max(seq) as seq, max(elapsed) filter (where elapsed < 'Infinity') as elapsed,
        max(step) filter (where step < 'Infinity') as step, max(share) filter (where share < 'Infinity') as share
      from points where trial_id = one.trial_id and placement = one.placement) as last
    cross join lateral (
      select points.*,
        row_number() over (partition by ${thousandth('elapsed')} order by seq) as nth_of_time,
        row_number() over (partition by ${thousandth('step')} order by seq) as nth_of_steps,
        row_number() over (partition by ${thousandth('share')} order by seq) as nth_of_shares,
        (elapsed = 'NaN') is distinct from lag(elapsed = 'NaN') over (order by seq) as is_edge
      from points where trial_id = one.trial_id and placement = one.placement) as p
    where p.seq % (1 + last.seq / ${most}::int) = 0 or p.seq = last.seq
      or p.nth_of_time = 1 or p.nth_of_steps = 1 or p.nth_of_shares = 1 or p.is_edge
    order by one.run, p.seq`);
  const curves = keys.map((): CurvePoint[] => []);
  for (const { run, ...point } of found.rows) curves[run]?.push(point);
  return curves;
}
