import { checkBounds, type MetricReading } from '../../domain/metric/read-metric.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Scored } from './score-context.ts';

/**
 * The score from measured metrics. A metric that is missing, not finite or out of bounds is a labelled failure, never a
 * win.
 */
export function boundedScore(
  task: Task,
  measured: Pick<Extract<Scored, { ok: true }>, 'metrics' | 'notes' | 'feedback'>,
): Scored {
  const { metric, secondary } = task;
  const measuredValue = (name: string): number | undefined =>
    Object.hasOwn(measured.metrics, name) ? measured.metrics[name] : undefined;
  const value = measuredValue(metric.name);
  if (value === undefined)
    return {
      ok: false,
      status: 'crashed',
      failure: {
        label: 'no-metric',
        message:
          `expected the evaluator to report ${metric.name}, ` +
          `got ${Object.keys(measured.metrics).join(', ') || 'nothing'}`,
      },
    };
  for (const bounds of [metric, ...secondary]) {
    const found = measuredValue(bounds.name);
    const checked = found === undefined ? undefined : checkBounds(found, bounds);
    if (checked?.ok === false) return unreadScore(checked);
  }
  return { ok: true, value, ...measured };
}

/** The outcome of a run whose metric does not count. A metric that is not finite says that the candidate diverged. */
export const unreadScore = ({ label, message }: Extract<MetricReading, { ok: false }>): Scored => ({
  ok: false,
  status: label === 'metric-not-finite' ? 'diverged' : 'crashed',
  failure: { label, message },
});
