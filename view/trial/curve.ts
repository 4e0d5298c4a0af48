import { shareOf } from '../../domain/abort/share-curve.ts';
import type { AbortRecord } from '../../domain/abort/record.ts';
import { curveBudget } from '../../domain/abort/settings.ts';
import type { Task } from '../../domain/task/task.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { percent } from '../../domain/text/format.ts';

/** A point of a run's progress; what it shows may be another quantity than the metric. */
export interface CurvePoint {
  step: number;
  /** Seconds. */
  elapsed: number;
  value: number;
  /** Of its budget, where the run said so. */
  share: number | null;
}

/** The quantity that the curve shows. */
export const curveName = ({ progress }: Pick<Task, 'progress'>): string => oneLine(progress?.value ?? 'value');

/** Points of the last placement alone. */
export function lastPlacement<P extends { placement: number }>(points: readonly P[]): P[] {
  const last = points.at(-1)?.placement;
  return points.filter((point) => point.placement === last);
}

/** Where in the curve of its last placement the rule wanted to stop the run; null where it did not. */
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
