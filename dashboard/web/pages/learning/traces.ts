import type { Learning, Update } from '../../../api/learning.ts';
import type { Trace } from '../../../../view/figure/drawings/trace.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { metricName, metricOf, metricsOf, readsMetric } from './labels.ts';

export type NamedTrace = Omit<Trace, 'width' | 'height' | 'marked'> & { metric: string };

/**
 * A curve for each metric of the updates, with the gates that fired on it, and the held-out values of versions behind
 * the first. All curves share one range of updates.
 */
export function tracesOf(
  updates: readonly Update[],
  references: Learning['references'] = [],
  evaluations: Learning['evaluations'] = [],
): NamedTrace[] {
  const ordered = [...updates].sort((a, b) => a.k - b.k);
  const versions = evaluations.map(({ version }) => version);
  const span = {
    from: Math.min(ordered[0]?.k ?? 0, ...versions),
    to: Math.max(ordered.at(-1)?.k ?? 1, ...versions),
  };
  const [first, ...others] = metricsOf(ordered).map((metric) => ({
    metric,
    name: metricName(metric),
    span,
    ...(metric === 'reward' ? { intervals: intervalsOf(ordered), references: references.map(shownReference) } : {}),
    points: ordered.map((update) => ({ x: update.k, y: metricOf(update, metric) })),
    gates: ordered.flatMap(({ k, gates }) =>
      gates.filter((gate) => readsMetric(gate.metric, metric)).map(({ then }) => ({ x: k, then })),
    ),
  }));
  const heldOut = SOURCES.flatMap((source) => heldOutTrace(source, { evaluations, span }));
  return first === undefined ? heldOut : [first, ...heldOut, ...others];
}

const SOURCES = ['within', 'apart'] as const;

/** Held-out values of one source, by version; none if the source has no values. */
function heldOutTrace(
  source: (typeof SOURCES)[number],
  { evaluations, span }: { evaluations: Learning['evaluations']; span: NamedTrace['span'] },
): NamedTrace[] {
  const ofSource = evaluations.filter((found) => found.source === source && found.value !== null);
  if (ofSource.length === 0) return [];
  const metric = `heldOut-${source}`;
  const intervals = ofSource.flatMap(({ version: x, low, high }) =>
    low === null || high === null ? [] : [{ x, low, high }],
  );
  const points = ofSource.map(({ version, value }) => ({ x: version, y: value }));
  return [{ metric, name: metricName(metric), span, intervals, points, gates: [] }];
}

/** Intervals of the mean rewards whose error is known. */
const intervalsOf = (updates: readonly Update[]): NonNullable<Trace['intervals']> =>
  updates.flatMap(({ k, reward, error }) =>
    reward === null || error === null ? [] : [{ x: k, low: reward - error, high: reward + error }],
  );

const shownReference = ({ name, value }: Learning['references'][number]) => ({ name: visibleLine(name, 40), value });
