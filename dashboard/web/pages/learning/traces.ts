import type { Learning, Update } from '../../../api/learning.ts';
import type { Trace } from '../../../../view/figure/drawings/trace.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { metricName, metricOf, metricsOf, readsMetric } from './labels.ts';

export type NamedTrace = Omit<Trace, 'width' | 'height' | 'marked'> & { metric: string };

/** A curve for each metric of the updates, with the gates that fired on it. All curves share one range of updates. */
export function tracesOf(updates: readonly Update[], references: Learning['references'] = []): NamedTrace[] {
  const ordered = [...updates].sort((a, b) => a.k - b.k);
  const span = { from: ordered[0]?.k ?? 0, to: ordered.at(-1)?.k ?? 1 };
  return metricsOf(ordered).map((metric) => ({
    metric,
    name: metricName(metric),
    span,
    ...(metric === 'reward' ? { intervals: intervalsOf(ordered), references: references.map(shownReference) } : {}),
    points: ordered.map((update) => ({ x: update.k, y: metricOf(update, metric) })),
    gates: ordered.flatMap(({ k, gates }) =>
      gates.filter((gate) => readsMetric(gate.metric, metric)).map(({ then }) => ({ x: k, then })),
    ),
  }));
}

/** Intervals of the mean rewards whose error is known. */
const intervalsOf = (updates: readonly Update[]): NonNullable<Trace['intervals']> =>
  updates.flatMap(({ k, reward, error }) =>
    reward === null || error === null ? [] : [{ x: k, low: reward - error, high: reward + error }],
  );

const shownReference = ({ name, value }: Learning['references'][number]) => ({ name: visibleLine(name, 40), value });
