import { sql } from 'drizzle-orm';
import { curveBudget } from '../../../../domain/abort/settings.ts';
import { lastShare } from '../../../../domain/abort/share-curve.ts';
import { trialIdOf } from '../../../../domain/trial/ids.ts';
import { finiteOrNull } from '../../../../domain/json/number.ts';
import type { TrialKind } from '../../../../domain/trial.ts';
import type { Tx } from '../../../connect.ts';
import type { ResearchView } from '../../read-research.ts';
import { readRunning, type OpenTrial } from '../../status/read-running.ts';
import { isoOf } from '../iso.ts';

/** A trial under way, with the end of its curve. */
export interface RunningLine {
  trialId: string;
  n: number;
  kind: TrialKind;
  ofTrial: number | null;
  hypothesis: string | null;
  /** Stage, in words. */
  stage: string;
  slot: string | null;
  since: string | null;
  /** Share of its budget that is spent; null if it is not known. */
  share: number | null;
  curve: { step: number[]; value: (number | null)[] };
}

const STAGES: Record<OpenTrial['stage'], string> = {
  proposing: 'proposing',
  queued: 'waiting for a slot',
  preparing: 'preparing',
  running: 'running',
  scoring: 'scoring',
};

/** Points of a small curve. */
const POINTS = 60;

interface Curve extends Record<string, unknown> {
  n: number;
  since: string;
  points: { step: number; elapsed: number; value: number; share: number | null }[] | null;
}

/** Trials of a research without an outcome, oldest first. */
export async function readRunningLines(db: Tx, { id, task }: ResearchView): Promise<RunningLine[]> {
  const underWay = await readRunning(db, { researchId: id });
  const curves = await readCurves(db, id);
  const budget = curveBudget(task);
  return underWay.map(({ n, kind, ofTrial, hypothesis, slot, stage }) => {
    const { since, points } = curves.get(n) ?? { since: null, points: [] };
    return {
      trialId: trialIdOf(id, n),
      n,
      kind,
      ofTrial,
      hypothesis,
      stage: STAGES[stage],
      slot,
      since,
      share: budget && stage === 'running' ? lastShare(points, budget) : null,
      curve: { step: points.map(({ step }) => step), value: points.map(({ value }) => finiteOrNull(value)) },
    };
  });
}

/** Start and last points of each trial's run, by number. Numbers that are not finite are NaN. */
async function readCurves(db: Tx, researchId: string) {
  const { rows } = await db.execute<Curve>(sql`
    select trials.n, coalesce(run.launched_at, trials.created_at) as since, curve.points
    from trials
    left join lateral (select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
    left join lateral (
      select json_agg(
        json_build_object('step', step, 'elapsed', elapsed, 'value', value, 'share', share) order by seq) as points
      from (select * from points where points.trial_id = run.trial_id and points.placement = run.placement
        order by seq desc limit ${POINTS}) last) curve on true
    where trials.research_id = ${researchId} and trials.status is null`);
  return new Map(
    rows.map(({ n, since, points }) => {
      // JSON has no numbers that are not finite: Postgres writes them as text.
      const read = (points ?? []).map(({ step, elapsed, value, share }) => ({
        step: Number(step),
        elapsed: Number(elapsed),
        value: Number(value),
        share: share === null ? null : Number(share),
      }));
      return [n, { since: isoOf(since), points: read }];
    }),
  );
}
