import { sql } from 'drizzle-orm';
import { thinCurve, type CurveColumns } from '../../../../view/page/thin-curve.ts';
import { curveMark, curveName, type CurvePoint } from '../../../../view/trial/curve.ts';
import type { Tx } from '../../../connect.ts';
import { readTaskOf, readTrial } from '../../read-trial.ts';

/** Most points of a page. */
const MOST = 2000;

export interface CurvePage extends CurveColumns {
  /** Name of the quantity that the curve shows; it may differ from the metric. */
  name: string;
  /** Number of points whose step or value is not finite. */
  notFinite: number;
  /** Step at which the rule wished to stop the run. */
  mark: { step: number; label: string } | null;
}

/** The curve of a trial's last placement that has one, thinned by its extremes; undefined for an unknown trial. */
export async function readCurvePage(db: Tx, { trialId }: { trialId: string }): Promise<CurvePage | undefined> {
  const found = await readTrial(db, { trialId });
  if (!found) return undefined;
  const task = await readTaskOf(db, found.trial);
  const { rows } = await db.execute<CurvePoint & Record<string, unknown>>(sql`
    select step, elapsed, value, share from points
    where trial_id = ${trialId} and placement = (select max(placement) from points where trial_id = ${trialId})
    order by seq`);
  const placed = rows.filter(({ step }) => Number.isFinite(step));
  return {
    ...thinCurve(placed, MOST),
    name: curveName(task),
    notFinite: rows.length - placed.filter(({ value }) => Number.isFinite(value)).length,
    mark: curveMark(placed, { judged: found.runs[0]?.abort ?? null, task }),
  };
}

interface LogPage {
  /** Null before there is any output. */
  text: string | null;
  placement: number | null;
  /** True if the run printed more than `text`. */
  cut: boolean;
}

/** The stored end of the output of a trial's last placement; undefined for an unknown trial. */
export async function readLogPage(db: Tx, { trialId }: { trialId: string }): Promise<LogPage | undefined> {
  const { rows } = await db.execute<LogPage & Record<string, unknown>>(sql`
    select run.placement, run.log_tail as text,
      coalesce(greatest((run."end"->>'outputBytes')::float8, run.log_offset) > octet_length(run.log_tail), false) as cut
    from trials left join lateral (
      select * from runs where runs.trial_id = trials.id order by placement desc limit 1) run on true
    where trials.id = ${trialId}`);
  return rows[0] && { text: rows[0].text, placement: rows[0].placement, cut: rows[0].cut };
}
