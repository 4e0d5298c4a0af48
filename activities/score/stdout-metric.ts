import { readMetric } from '../../domain/metric/read-metric.ts';
import type { Scored, ScoreContext } from './types.ts';
import { boundedScore } from './bounded-score.ts';

/** For the whole tail; honest output takes milliseconds. */
const METRIC_MS = 3000;

/** Reads the metric from what the run printed to stdout: only for tasks that say so, and never trusted. */
export function readStdoutMetric({ deps, run, version }: ScoreContext): Scored {
  const { metric } = version.task;
  const output = run.stdoutTail ?? run.logTail ?? '';
  const timed = deps.scoring.withinTime(METRIC_MS, () => readMetric(output, metric));
  if (!timed.done) {
    const message = `expected metric.pattern to read the output within ${METRIC_MS / 1000} s, came to no end; make it simpler`;
    return { ok: false, status: 'crashed', failure: { label: 'metric-unreadable', message } };
  }
  const read = timed.value;
  if (!read.ok) return { ok: false, status: 'crashed', failure: { label: read.label, message: read.message } };
  return boundedScore(version.task, { metrics: { [metric.name]: read.value }, notes: null });
}
