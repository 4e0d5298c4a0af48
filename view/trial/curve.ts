import { shareOf } from '../../domain/abort/share-curve.ts';
import type { AbortRecord } from '../../domain/abort/record.ts';
import { curveBudget } from '../../domain/abort/settings.ts';
import type { Task } from '../../domain/task/task.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { percent } from '../../domain/text/format.ts';

/** A point of a run's progress. Its value may be another quantity than the metric. */
export interface CurvePoint {
  step: number;
  /** Seconds since the start of the run. */
  elapsed: number;
  value: number;
  /** Share of the budget; null if the run did not print it. */
  share: number | null;
}

/** The name of the quantity in a curve. */
export const curveName = ({ progress }: Pick<Task, 'progress'>): string => oneLine(progress?.value ?? 'value');

/** Points of the last placement only. */
export function lastPlacement<P extends { placement: number }>(points: readonly P[]): P[] {
  const last = points.at(-1)?.placement;
  return points.filter((point) => point.placement === last);
}

/** The point of a run's curve at which the abort rule wanted to stop the run; null if it did not. */
export function curveMark(
  points: readonly CurvePoint[],
  { judged, task }: { judged: AbortRecord | null; task: Pick<Task, 'run' | 'progress'> },
): { step: number; label: string } | null {
  const budget = curveBudget(task);
  if (!judged?.abort || judged.share === null || budget === null) return null;
  const share = judged.share;
  const at = points.findLast((point) => shareOf(point, budget) <= share);
  return at
    ? { step: at.step, label: `${judged.audited ? 'would have stopped' : 'stopped'} at ${percent(share)}` }
    : null;
}
