import { and, asc, eq, sql } from 'drizzle-orm';
import type { CurvePoint } from '../../domain/abort/types.ts';
import type { AbortRecord } from '../../domain/abort/record.ts';
import type { TrialStatus } from '../../domain/trial.ts';
import type { Tx } from '../connect.ts';
import { points, runs } from '../schema.ts';

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

/** A run that ended and says something about the others: `value` is null where it was stopped. */
export interface EndedCurve {
  n: number;
  trialId: string;
  placement: number;
  status: TrialStatus;
  value: number | null;
  abort: AbortRecord | null;
}

/**
 * Runs of a task version with a curve that ended after those already known, in the order of their ends. Runs that the gate
 * asked for (confirm, remeasure) repeat what was picked for being good: they say nothing about the next proposal.
 */
export async function findEndedCurves(
  db: Tx,
  input: { researchId: string; taskHash: string; known: number[] },
): Promise<EndedCurve[]> {
  const rows = await db.execute<EndedCurve & Record<string, unknown>>(sql`
    select trials.n, trials.id as "trialId", runs.placement, trials.status, trials.value, runs.abort
    from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
    where trials.research_id = ${input.researchId} and trials.task_hash = ${input.taskHash}
      and trials.kind in ('search', 'injected', 'baseline')
      and (trials.status = 'completed' or (trials.status = 'aborted' and (runs.abort->>'abort')::boolean))
      and trials.n <> all(${sql.param(input.known)}::int[])
    order by trials.ended_at, trials.n`);
  return rows.rows;
}

/** Runs of a research that a rule wanted to stop so far, audited ones among them. */
export async function countWishes(db: Tx, input: { researchId: string; taskHash: string }): Promise<number> {
  const rows = await db.execute<{ wishes: number }>(sql`
    select count(*)::int as wishes from runs join trials on trials.id = runs.trial_id
    where trials.research_id = ${input.researchId} and trials.task_hash = ${input.taskHash}
      and (runs.abort->>'abort')::boolean`);
  return rows.rows[0]?.wishes ?? 0;
}

/** The points of a run in order; of more than `most` every k-th, and the last. */
export async function loadCurve(db: Tx, { trialId, placement, most }: Key & { most: number }): Promise<CurvePoint[]> {
  const all = sql`(select count(*) from ${points} p where p.trial_id = ${trialId} and p.placement = ${placement})`;
  return db
    .select({ step: points.step, elapsed: points.elapsed, value: points.value, share: points.share })
    .from(points)
    .where(
      and(
        eq(points.trialId, trialId),
        eq(points.placement, placement),
        sql`(${points.seq} % (1 + (${all} - 1) / ${most}::int) = 0 or ${points.seq} = ${all} - 1)`,
      ),
    )
    .orderBy(asc(points.seq));
}
