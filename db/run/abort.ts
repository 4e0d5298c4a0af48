import { and, eq, sql } from 'drizzle-orm';
import type { AbortRecord } from '../../domain/abort/record.ts';
import type { CurvePoint } from '../../domain/abort/types.ts';
import type { Tx } from '../connect.ts';
import { runs } from '../schema.ts';

type Key = { trialId: string; placement: number };

const byKey = (key: Key) => and(eq(runs.trialId, key.trialId), eq(runs.placement, key.placement));

/**
 * Stores what a rule made of a run. A wish to stop it stands, once there is one. Returns the record that stands;
 * undefined where a newer monitor took over.
 */
export async function saveAbort(
  db: Tx,
  input: Key & { follower: number; record: AbortRecord },
): Promise<AbortRecord | undefined> {
  const { record, follower } = input;
  const rows = await db
    .update(runs)
    .set({
      abort: sql`case when (${runs.abort}->>'abort')::boolean then ${runs.abort} else ${JSON.stringify(record)}::jsonb end`,
    })
    .where(and(byKey(input), eq(runs.follower, follower)))
    .returning({ abort: runs.abort });
  return rows[0]?.abort ?? undefined;
}

/** A run that ended and says something about the others. */
export interface EndedCurve extends Key {
  n: number;
  /** As Postgres writes it: a Date would lose the microseconds. */
  endedAt: string;
  /** Null where it was stopped, and where it failed. */
  value: number | null;
  /** A would-be stop that failed: there is nothing to learn of its curve. */
  failed: boolean;
  /** A would-be stop that went on, to see how it ends. */
  audited: boolean;
  /** The value that the audit judges it by; null where the rule did not look at it, and where there was nothing to beat. */
  incumbent: number | null;
  /** Probability with which its would-be stop was audited; null where the rule let it live. */
  auditProbability: number | null;
  /** Share of the budget at which the rule wanted to stop it. */
  wanted: number | null;
}

/** Runs of a task version in a research, and the rule with its settings (`ruleText`) whose audit they are for. */
interface AuditedBy {
  researchId: string;
  taskHash: string;
  by: string;
}

const isBy = (by: string) => sql`coalesce(runs.abort->>'by', runs.abort->>'rule') = ${by}`;

/** It came to its end by its own fault: no machine's, and no person's. */
export const FAILED = sql`(trials.status in ('crashed', 'timed_out', 'diverged'))`;

/**
 * Proposals of a task version that ended after the one given, in the order of their ends. Runs that the gate asked for
 * repeat one candidate (baseline), or what was picked for being good (confirm, remeasure): how alike they are says
 * nothing about the next proposal.
 *
 * No end is missed by looking only behind the last one: an end is dated by the clock while its transaction holds the
 * research's row lock (`settle`), which it keeps until it is committed. Whoever is dated later was locked out until then,
 * so ends become visible in the order of their dates. (A clock that is set back breaks that; a worker's start mends it.)
 */
export async function findEndedCurves(
  db: Tx,
  input: AuditedBy & { after: Pick<EndedCurve, 'n' | 'endedAt'> | null },
): Promise<EndedCurve[]> {
  const { researchId, taskHash, by, after } = input;
  const later = after && sql`and (trials.ended_at, trials.n) > (${after.endedAt}::timestamptz, ${after.n}::int)`;
  const rows = await db.execute<EndedCurve & Record<string, unknown>>(sql`
    select trials.n, trials.id as "trialId", runs.placement, trials.ended_at::text as "endedAt", trials.value,
      ${FAILED} as failed, coalesce((runs.abort->>'audited')::boolean, false) as audited,
      case when ${isBy(by)} then coalesce(runs.abort->>'judgedBy', runs.abort->>'incumbent')::float8 end as incumbent,
      (runs.abort->>'auditProbability')::float8 as "auditProbability",
      case when (runs.abort->>'abort')::boolean then (runs.abort->>'share')::float8 end as wanted
    from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    where trials.research_id = ${researchId} and trials.task_hash = ${taskHash} ${later ?? sql``}
      and trials.kind in ('search', 'injected')
      and (trials.status = 'completed' or (runs.abort->>'abort')::boolean and (${FAILED}
        -- One that was to go on and was ended by a person tells nothing.
        or trials.status = 'aborted' and not (runs.abort->>'audited')::boolean))
    order by trials.ended_at, trials.n`);
  return rows.rows;
}

/** Trials that the rule wanted to stop so far, audited ones among them, in the run that counts; counted up to `most`. */
export async function countAbortDecisions(
  db: Tx,
  { researchId, taskHash, by, most }: AuditedBy & { most: number },
): Promise<number> {
  const rows = await db.execute<{ wishes: number }>(sql`
    select count(*)::int as wishes from (
      select trials.id from runs join trials on trials.id = runs.trial_id and runs.placement = trials.placement
      where trials.research_id = ${researchId} and trials.task_hash = ${taskHash}
        and (runs.abort->>'abort')::boolean and ${isBy(by)}
      limit ${most}::int) as wished`);
  return rows.rows[0]?.wishes ?? 0;
}

/**
 * The points of a run in order. Of more than `most` every k-th, the last, and the first of each thousandth of its time, its steps and
 * its shares, since the lines of one tenth of a run may be nearly all of them. The beginning of a gap in the times stays, too.
 */
export async function loadCurve(db: Tx, { most, ...run }: Key & { most: number }): Promise<CurvePoint[]> {
  return (await loadCurves(db, { runs: [run], most }))[0] ?? [];
}

/** Which thousandth of the largest a number of a point is in; null for one below 0, and for one that is none. */
const thousandth = (column: 'elapsed' | 'step' | 'share') => {
  const [own, largest] = [sql.raw(`points.${column}`), sql.raw(`last.${column}`)];
  return sql`case when ${largest} > 0 and ${own} between 0 and ${largest} then width_bucket(${own}, 0, ${largest}, 1000) end`;
};

/** The same of several runs at once. */
export async function loadCurves(
  db: Tx,
  { runs: keys, most }: { runs: readonly Key[]; most: number },
): Promise<CurvePoint[][]> {
  const [ids, placements] = [keys.map(({ trialId }) => trialId), keys.map(({ placement }) => placement)];
  const found = await db.execute<CurvePoint & { run: number } & Record<string, unknown>>(sql`
    select (one.run - 1)::int as run, p.step, p.elapsed, p.value, p.share
    from unnest(${sql.param(ids)}::text[], ${sql.param(placements)}::int[]) with ordinality as one(trial_id, placement, run)
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
