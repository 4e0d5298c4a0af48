import { sql } from 'drizzle-orm';
import { thinCurve, type CurveColumns } from '../../../../view/page/thin.ts';
import { curveMark, curveName, type CurvePoint } from '../../../../view/trial/curve.ts';
import type { Tx } from '../../../connect.ts';
import { readTaskOf, readTrial } from '../../read-trial.ts';

/** Points that a page is sent at most. */
const MOST = 2000;

export interface CurvePage extends CurveColumns {
  /** What the curve shows, which may be another quantity than the metric. */
  name: string;
  /** Points whose step or value is not finite. */
  notFinite: number;
  /** Where the rule wanted to stop it. */
  mark: { step: number; label: string } | null;
}

/** The curve of a trial's last placement that has one, thinned by its extremes; undefined for an unknown trial. */
export async function readCurvePage(db: Tx, { trialId }: { trialId: string }): Promise<CurvePage | undefined> {
  const found = await readTrial(db, { trialId });
  if (!found) return undefined;
  const task = await readTaskOf(db, found.trial);
  const { rows } = await db.execute<CurvePoint & Record<string, unknown>>(sql`
    select step, elapsed, value, share from points
    where trial_id = ${trialId} and placement = (select max(placement) from points where trial_id = ${trialId}) order by seq`);
  const placed = rows.filter(({ step }) => Number.isFinite(step));
  return {
    ...thinCurve(placed, MOST),
    name: curveName(task),
    notFinite: rows.length - placed.filter(({ value }) => Number.isFinite(value)).length,
    mark: curveMark(placed, { judged: found.runs[0]?.abort ?? null, task }),
  };
}
