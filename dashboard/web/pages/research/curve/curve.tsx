import { useMemo } from 'react';
import { OUTCOMES } from '../../../../api/outcomes.ts';
import type { Research } from '../../../../api/research.ts';
import type { SinceOne } from '../../../../api/research/since.ts';
import type { Axis, Series } from '../../../../api/series.ts';
import { formatCount, formatSeconds, formatUsd, unitText } from '../../../../../domain/text/format.ts';
import { formatInteger, formatValue } from '../../../parts/numbers.ts';
import { visibleLine } from '../../../../../view/figure/visible-line.ts';
import { plural } from '../../../../../domain/text/plural.ts';
import type { StatusView } from '../../../../../view/status.ts';
import { researchPath, withQuery } from '../../../data/fetch-json.ts';
import { useResource, type Resource } from '../../../data/use-resource.ts';
import type { XKind } from '../../../parts/chart/axes.ts';
import { Chart } from '../../../parts/chart/chart.tsx';
import type { Layer, Point } from '../../../parts/chart/layers.ts';
import { Empty } from '../../../parts/empty.tsx';
import { OUTCOME_LABELS } from '../../../parts/outcome/outcome-look.ts';
import { hrefOfTrial } from '../../../parts/trial-link.tsx';
import { betterDirectionLabel } from '../../../parts/value.tsx';
import { inBrowserZone } from '../../../parts/zone.ts';
import { setParams, useAddress } from '../../../router.ts';
import { curveLayers, LABELS, sinceLayer, type OutcomeCounts } from './curve-layers.ts';
import { PhaseStrip } from './phase-strip.tsx';

/** Limit of dots. If there are more trials, the server thins them. */
const DOTS = 12_000;

const X: Record<Axis, { kind: XKind; word: string; name: string; text: (value: number) => string }> = {
  trial: { kind: 'count', word: 'trial', name: 'trial', text: (value) => `#${Math.round(value)}` },
  time: { kind: 'seconds', word: 'time', name: 'time since the start', text: formatSeconds },
  slotSeconds: { kind: 'seconds', word: 'slot time', name: 'time on slots', text: formatSeconds },
  tokens: { kind: 'number', word: 'tokens', name: 'tokens', text: (value) => `${formatCount(value)} tokens` },
  usd: { kind: 'number', word: 'USD', name: 'USD', text: formatUsd },
};

const AXES = Object.keys(X) as Axis[];

/** Reads the series of a research, for the axis in the address. It loads in parallel with the research. */
export function useSeries(id: string): Resource<Series> {
  const path = withQuery(researchPath(id, 'series'), { x: useAxis(), buckets: DOTS });
  return useResource<Series>(path, { research: id });
}

interface CurveProps {
  research: Research;
  resource: Resource<Series>;
  /** Figures since the last look, whose stretch the chart shades. Undefined while they are read. */
  since: SinceOne | undefined;
}

/** Chart of a research: its trials, and its claims. */
export function Curve({ research, resource, since }: CurveProps) {
  const { status, metric, next } = research;
  const id = status.workflowId;
  const axis = useAxis();
  const { data: series, error } = resource;
  const thinned = series !== undefined && series.total > series.dots.n.length;
  const counts = useMemo(() => (thinned ? countsOf(status) : null), [thinned, status]);
  const begin = since !== undefined && since.axis === series?.x ? since.x : undefined;
  const layers = useMemo(() => {
    if (!series) return [];
    const shade = begin === undefined ? [] : [sinceLayer(begin, series.end)];
    return [...shade, ...curveLayers(series, counts)];
  }, [series, counts, begin]);
  const isEmpty = series !== undefined && series.dots.n.length === 0;
  const valueText = (value: number) => `${formatValue(value, status.baseline?.sd)}${unitText(metric.unit)}`;
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
        {thinned ? ` · ${countText(series.dots.n.length)} of ${countText(series.total)} trials drawn` : ''}
      </span>
    </>
  );
  return (
    <section className="panel curve" aria-labelledby="curve">
      {series === undefined || isEmpty ? (
        <>
          <div className="chart-bar">{heading}</div>
          <Empty>
            {series === undefined
              ? (error?.message ?? 'Reading the trials')
              : visibleLine(inBrowserZone(waitText(next)), 400)}
          </Empty>
        </>
      ) : (
        <Chart
          heading={heading}
          tools={<AxisSwitch axis={axis} />}
          label={`${metric.name} of ${series.total} trials by ${X[series.x].name}, with the claimed best`}
          layers={layers}
          height="fill"
          xKind={X[series.x].kind}
          {...(series.x === 'usd' ? { xTick: formatUsd } : {})}
          xName={X[series.x].name}
          yName={metric.name}
          xText={X[series.x].text}
          yText={valueText}
          log
          tip={({ layer, index }) => tipOf(layers[layer], { index, series, valueText })}
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

/** Numbers of ended trials by the outcomes of dots. */
function countsOf({ trials, verdicts }: Pick<StatusView, 'trials' | 'verdicts'>): OutcomeCounts {
  const { byStatus } = trials;
  const { keep, confirm, discard, absorbed } = verdicts;
  const ruled = { keep, confirm, discard, absorbed };
  const failed = byStatus.crashed + byStatus.timed_out + byStatus.diverged + byStatus.rejected + byStatus.lost;
  const others = { 'stopped-early': byStatus.aborted, failed, cached: byStatus.cached };
  const counted = [...Object.values(ruled), ...Object.values(others)].reduce((sum, count) => sum + count, 0);
  return { ...ruled, ...others, scored: Math.max(0, trials.ended - counted) };
}

const countText = (count: number): string => formatInteger(count);

const waitText = (next: readonly string[]): string =>
  next.length === 0 ? 'No trial has ended yet' : `No trial has ended yet. Next: ${next[0]}`;

/** Axis of the chart in the address. */
export function useAxis(): Axis {
  const requested = useAddress().params.get('x');
  return AXES.find((axis) => axis === requested) ?? 'trial';
}

function AxisSwitch({ axis }: { axis: Axis }) {
  return (
    <span className="switch small" role="group" aria-label="What x counts">
      {AXES.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === axis}
          onClick={() => setParams({ x: option === 'trial' ? null : option, 'c.zoom': null })}
        >
          {X[option].word}
        </button>
      ))}
    </span>
  );
}

interface TipInput {
  index: number;
  series: Series;
  valueText: (value: number) => string;
}

function tipOf(layer: Layer | undefined, { index, series, valueText }: TipInput) {
  const { dots, rawBest, claims } = series;
  const at = (x: number | undefined) => (series.x === 'trial' ? [] : [`at ${X[series.x].text(x ?? NaN)}`]);
  if (layer?.kind === 'dots') {
    const [n, score] = [dots.n[index], dots.value[index] ?? null];
    const word = OUTCOME_LABELS[OUTCOMES[dots.outcome[index] ?? -1] ?? 'scored'];
    return { title: `#${n} ${word}`, lines: [score === null ? 'no value' : valueText(score), ...at(dots.x[index])] };
  }
  if (layer?.label === LABELS.raw)
    return {
      title: `best run of a proposal: #${rawBest.n[index]}`,
      lines: [valueText(rawBest.value[index] ?? NaN), 'not corrected for selection'],
    };
  const [n, low, high] = [claims.n[index] ?? null, claims.low[index] ?? null, claims.high[index] ?? null];
  return {
    title: n === null ? 'the unmodified version' : `claimed: #${n}`,
    lines: [
      valueText(claims.value[index] ?? NaN),
      ...(low === null || high === null
        ? []
        : [`95 %: ${valueText(low)} to ${valueText(high)} (${plural(claims.runs[index] ?? 0, 'run')})`]),
    ],
  };
}
