import type { Update } from '../../../api/learning.ts';
import type { Trace } from '../../../../view/figure/drawings/trace.ts';
import { metricName, metricOf, metricsOf, readsMetric } from './labels.ts';

export type NamedTrace = Omit<Trace, 'width' | 'height' | 'marked'> & { metric: string };

/** A curve for each number of the updates, with the gates that fired on it. All share one axis of updates. */
export function tracesOf(updates: readonly Update[]): NamedTrace[] {
  const ended = [...updates].sort((a, b) => a.k - b.k);
  const span = { from: ended[0]?.k ?? 0, to: ended.at(-1)?.k ?? 1 };
  return metricsOf(ended).map((metric) => ({
    metric,
    name: metricName(metric),
    span,
    points: ended.map((update) => ({ x: update.k, y: metricOf(update, metric) })),
    gates: ended.flatMap(({ k, gates }) =>
      gates.filter((gate) => readsMetric(gate.metric, metric)).map(({ then }) => ({ x: k, then })),
    ),
  }));
}
