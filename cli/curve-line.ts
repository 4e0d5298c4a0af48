import { curveBudget } from '../domain/abort/settings.ts';
import { hasAllTimes, shareOf } from '../domain/abort/share-curve.ts';
import type { CurvePoint, RunBudget } from '../domain/abort/types.ts';
import { encodeNumber } from '../domain/json/number.ts';
import type { CurveRun } from '../db/reads/read-curves.ts';

/** Budget of a run whose points give no share of the task's budget: the run's own steps. */
const stepsOf = (points: readonly CurvePoint[]): RunBudget => ({ kind: 'steps', total: points.at(-1)?.step || 1 });

/**
 * A run as a line of a file of curves. `train` has the values of its progress lines, which rules monitor; `val` has
 * the final metric. The first number of each pair is in units of the budget (steps, seconds, or shares of 1), and
 * `steps` is the whole budget. `whole`: the run completed, at whatever share of its budget, and its curve has no gap.
 */
export function toCurveLine({ points, ...run }: CurveRun & { points: readonly CurvePoint[] }) {
  const budget = curveBudget(run.task) ?? stepsOf(points);
  const x = (point: CurvePoint): number => shareOf(point, budget) * budget.total;
  const located = points.filter((point) => Number.isFinite(x(point)));
  const last = located.at(-1);
  return {
    track: run.task.name,
    group: run.candidateId ?? run.jobId,
    run: run.jobId,
    status: run.status,
    direction: run.task.metric.direction,
    curveDirection: run.task.progress?.direction ?? 'minimize',
    monitored: 'train' as const,
    whole: run.status === 'completed' && hasAllTimes(points, budget, run.task.abort.burnIn),
    steps: budget.total,
    val: run.value === null || !last ? [] : [[x(last), run.value]],
    train: located.map((point) => [x(point), encodeNumber(point.value)]),
  };
}
