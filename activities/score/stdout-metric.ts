import { readMetric } from '../../domain/metric/read-metric.ts';
import type { Scored, ScoreContext } from './types.ts';
import { boundedScore } from './bounded-score.ts';

/** Reads the metric from what the run printed: only for tasks that say so, and never trusted. */
export function readStdoutMetric({ run, version }: ScoreContext): Scored {
  const { metric } = version.task;
  const read = readMetric(run.logTail ?? '', metric);
  if (!read.ok) return { ok: false, status: 'crashed', failure: { label: read.label, message: read.message } };
  return boundedScore(version.task, { metrics: { [metric.name]: read.value }, notes: null });
}
