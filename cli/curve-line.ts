import { curveBudget } from '../domain/abort/settings.ts';
import { hasAllTimes, shareOf } from '../domain/abort/share-curve.ts';
import type { CurvePoint, RunBudget } from '../domain/abort/types.ts';
import { encodeNumber } from '../domain/json/number.ts';
import type { CurveRun } from '../db/reads/read-curves.ts';

/** What runs without a budget that anybody sees are measured by: their own steps. */
const stepsOf = (points: readonly CurvePoint[]): RunBudget => ({ kind: 'steps', total: points.at(-1)?.step || 1 });

/**
 * A run as one line of a file of curves: `train` is what its progress lines said, and what is monitored, `val` the final
 * metric. The first of each pair is what the budget is measured by (steps, seconds, or shares of 1), `steps` is the whole of
 * it; a `whole` run came to its end, wherever in its budget that was, and no part of its curve went unseen.
 */
export function toCurveLine({ points, ...run }: CurveRun & { points: readonly CurvePoint[] }) {
  const budget = curveBudget(run.task) ?? stepsOf(points);
  const x = (point: CurvePoint): number => shareOf(point, budget) * budget.total;
  const placed = points.filter((point) => Number.isFinite(x(point)));
  const last = placed.at(-1);
  return {
    track: run.task.name,
    group: run.candidateId ?? run.trialId,
    run: run.trialId,
    status: run.status,
    direction: run.task.metric.direction,
    curveDirection: run.task.progress?.direction ?? 'minimize',
    monitored: 'train' as const,
    whole: run.status === 'completed' && hasAllTimes(points, budget, run.task.abort.burnIn),
    steps: budget.total,
    val: run.value === null || !last ? [] : [[x(last), run.value]],
    train: placed.map((point) => [x(point), encodeNumber(point.value)]),
  };
}
