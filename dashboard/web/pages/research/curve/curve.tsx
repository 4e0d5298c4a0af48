import { useMemo } from 'react';
import { OUTCOMES } from '../../../../api/outcomes.ts';
import type { Research } from '../../../../api/research.ts';
import type { Axis, Series } from '../../../../api/series.ts';
import { formatCount, formatSeconds, formatUsd, formatValue, unitText } from '../../../../../domain/text/format.ts';
import type { StatusView } from '../../../../../view/status.ts';
import { ofResearch, withQuery } from '../../../data/fetch-json.ts';
import { useResource, type Resource } from '../../../data/use-resource.ts';
import { Chart } from '../../../parts/chart/chart.tsx';
import type { Layer, Point } from '../../../parts/chart/layers.ts';
import { Empty } from '../../../parts/empty.tsx';
import { OUTCOME_LABELS } from '../../../parts/outcome/outcome-look.ts';
import { hrefOfTrial } from '../../../parts/trial-link.tsx';
import { betterDirectionLabel } from '../../../parts/value.tsx';
import { setParams, useAddress } from '../../../router.ts';
import { curveLayers, LABELS, type OutcomeCounts } from './curve-layers.ts';
import { PhaseStrip } from './phase-strip.tsx';

/** Beyond that, the server thins the dots by what can be told apart. */
const DOTS = 12_000;

const X: Record<Axis, { word: string; name: string; text: (value: number) => string }> = {
  trial: { word: 'trial', name: 'trial', text: (value) => `#${Math.round(value)}` },
  time: { word: 'time', name: 'time since the start', text: formatSeconds },
  slotSeconds: { word: 'slot time', name: 'time on slots', text: formatSeconds },
  tokens: { word: 'tokens', name: 'tokens', text: (value) => `${formatCount(value)} tokens` },
  usd: { word: 'USD', name: 'USD', text: formatUsd },
};

const AXES = Object.keys(X) as Axis[];

/** The course of a research, by what x is to count; read beside the research, since it takes as long. */
export function useSeries(id: string): Resource<Series> {
  const path = withQuery(ofResearch(id, 'series'), { x: useAxis(), buckets: DOTS });
  return useResource<Series>(path, { research: id });
}

/** The course of a research: what was tried, and what of it is claimed. */
export function Curve({ research, course }: { research: Research; course: Resource<Series> }) {
  const { status, metric, next } = research;
  const id = status.workflowId;
  const axis = useAxis();
  const { data: series, error } = course;
  const thinned = series !== undefined && series.total > series.dots.n.length;
  const counts = useMemo(() => (thinned ? countsOf(status) : null), [thinned, status]);
  const layers = useMemo(() => (series ? curveLayers(series, counts) : []), [series, counts]);
  const nothing = series !== undefined && series.dots.n.length === 0;
  const value = (one: number) => `${formatValue(one, status.baseline?.sd)}${unitText(metric.unit)}`;
  const trialAt = ({ layer, index }: Point): number | null => {
    if (layers[layer]?.kind === 'dots') return series?.dots.n[index] ?? null;
    if (layers[layer]?.label === LABELS.raw) return series?.rawBest.n[index] ?? null;
    return series?.claims.n[index] ?? null;
  };
  const hrefOf = (point: Point) => {
    const n = trialAt(point);
    return n === null ? undefined : hrefOfTrial(id, n);
  };
  const heading = (
    <>
      <h2 id="curve">
        {metric.name}
        {metric.unit ? `, ${metric.unit}` : ''}
      </h2>
      <span className="quiet small">
        {betterDirectionLabel(metric.direction)}
        {thinned ? ` · ${many(series.dots.n.length)} of ${many(series.total)} trials drawn` : ''}
      </span>
    </>
  );
  return (
    <section className="panel curve" aria-labelledby="curve">
      {series === undefined || nothing ? (
        <>
          <div className="chart-bar">{heading}</div>
          <Empty>{series === undefined ? (error?.message ?? 'Reading the trials') : waitWords(next)}</Empty>
        </>
      ) : (
        <Chart
          heading={heading}
          tools={<AxisSwitch axis={axis} />}
          label={`${metric.name} of ${series.total} trials by ${X[series.x].name}, with the claimed best`}
          layers={layers}
          height="fill"
          xKind={
            series.x === 'time' || series.x === 'slotSeconds' ? 'seconds' : series.x === 'trial' ? 'count' : 'number'
          }
          {...(series.x === 'usd' ? { xTick: formatUsd } : {})}
          xName={X[series.x].name}
          yName={metric.name}
          xText={X[series.x].text}
          yText={value}
          log
          tip={({ layer, index }) => tipOf(layers[layer], { index, series, value })}
          onPick={(point) => {
            const href = hrefOf(point);
            if (href !== undefined) location.hash = href;
          }}
          hrefOf={hrefOf}
        />
      )}
      <PhaseStrip research={research} />
    </section>
  );
}

/** Ended trials by the outcomes that dots tell apart. */
function countsOf({ trials, verdicts }: Pick<StatusView, 'trials' | 'verdicts'>): OutcomeCounts {
  const { byStatus } = trials;
  const ruled = {
    ...{ keep: verdicts.keep, confirm: verdicts.confirm, discard: verdicts.discard, absorbed: verdicts.absorbed },
  };
  const failed = byStatus.crashed + byStatus.timed_out + byStatus.diverged + byStatus.rejected + byStatus.lost;
  const others = { 'stopped-early': byStatus.aborted, failed, cached: byStatus.cached };
  const told = [...Object.values(ruled), ...Object.values(others)].reduce((sum, count) => sum + count, 0);
  return { ...ruled, ...others, scored: Math.max(0, trials.ended - told) };
}

const many = (count: number): string => count.toLocaleString('en');

const waitWords = (next: readonly string[]): string =>
  next.length === 0 ? 'No trial has ended yet' : `No trial has ended yet. Next: ${next[0]}`;

function useAxis(): Axis {
  const asked = useAddress().params.get('x');
  return AXES.find((axis) => axis === asked) ?? 'trial';
}

function AxisSwitch({ axis }: { axis: Axis }) {
  return (
    <span className="switch small" role="group" aria-label="What x counts">
      {AXES.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === axis}
          onClick={() => setParams({ x: one === 'trial' ? null : one, 'c.zoom': null })}
        >
          {X[one].word}
        </button>
      ))}
    </span>
  );
}

interface Told {
  index: number;
  series: Series;
  value: (one: number) => string;
}

function tipOf(layer: Layer | undefined, { index, series, value }: Told) {
  const { dots, rawBest, claims } = series;
  const at = (x: number | undefined) => (series.x === 'trial' ? [] : [`at ${X[series.x].text(x ?? NaN)}`]);
  if (layer?.kind === 'dots') {
    const [n, score] = [dots.n[index], dots.value[index] ?? null];
    const word = OUTCOME_LABELS[OUTCOMES[dots.outcome[index] ?? -1] ?? 'scored'];
    return { title: `#${n} ${word}`, lines: [score === null ? 'no value' : value(score), ...at(dots.x[index])] };
  }
  if (layer?.label === LABELS.raw)
    return {
      title: `best run of a proposal: #${rawBest.n[index]}`,
      lines: [value(rawBest.value[index] ?? NaN), 'not corrected for selection'],
    };
  const [n, low, high] = [claims.n[index] ?? null, claims.low[index] ?? null, claims.high[index] ?? null];
  return {
    title: n === null ? 'the unmodified version' : `claimed: #${n}`,
    lines: [
      value(claims.value[index] ?? NaN),
      ...(low === null || high === null ? [] : [`95 %: ${value(low)} to ${value(high)}`]),
    ],
  };
}
