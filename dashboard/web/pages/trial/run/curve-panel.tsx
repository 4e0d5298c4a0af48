import { useMemo } from 'react';
import type { Curve, Trial } from '../../../../api/trials/trial.ts';
import { trialPath } from '../../../data/fetch-json.ts';
import { useResource } from '../../../data/use-resource.ts';
import { formatSeconds } from '../../../../../domain/text/format.ts';
import { formatValue } from '../../../parts/numbers.ts';
import { plural } from '../../../../../domain/text/plural.ts';
import { Chart } from '../../../parts/chart/chart.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { layersOf, showsMetric } from './curve-layers.ts';
import { trialRefresh } from '../trial-refresh.ts';
import { ForecastStrip } from './forecast-strip.tsx';

/** Panel with the curve of the run, and with the forecast of the early-abort rule. */
export function CurvePanel({ trial }: { trial: Trial }) {
  const { data: curve, error } = useResource<Curve>(trialPath(trial.trialId, 'curve'), trialRefresh(trial));
  const { forecast } = trial;
  return (
    <Panel title="Course of the run" note={curve && curve.step.length > 0 ? noteOf(curve, trial) : undefined}>
      {curve && curve.step.length > 0 ? (
        <CurveChart curve={curve} trial={trial} />
      ) : (
        <Empty>{error?.message ?? (curve ? emptyText(trial) : 'Reading the curve')}</Empty>
      )}
      {forecast ? <ForecastStrip forecast={forecast} trial={trial} /> : null}
    </Panel>
  );
}

function CurveChart({ curve, trial }: { curve: Curve; trial: Trial }) {
  const layers = useMemo(
    () => layersOf({ curve, forecast: trial.forecast, trial }),
    [curve, trial.forecast, trial.metric.name],
  );
  const last = curve.value.findLast((value) => value !== null);
  const label =
    `${curve.name} over ${plural(curve.step.length, 'point')}, up to step ${curve.step.at(-1) ?? 0}; ` +
    `the last value is ${formatValue(last)}`;
  return (
    <Chart
      label={label}
      name="curve"
      layers={layers}
      xName="step"
      yName={curve.name}
      yText={formatValue}
      log
      height={240}
    />
  );
}

function noteOf(curve: Curve, { metric, status }: Trial): string {
  const seconds = curve.elapsed.findLast((elapsed) => elapsed !== null);
  return [
    status === null ? 'under way' : null,
    `${curve.name} by step`,
    showsMetric(curve, metric) ? null : `another quantity than ${metric.name}`,
    seconds === undefined ? null : `${formatSeconds(seconds)} long`,
    curve.notFinite > 0 ? `${plural(curve.notFinite, 'value')} not finite` : null,
  ]
    .filter(Boolean)
    .join(' · ');
}

function emptyText({ status, startedAt }: Trial): string {
  if (startedAt === null) return status === null ? 'The run has not begun.' : 'The trial did not run.';
  return status === null ? 'The run has printed no progress yet.' : 'The run printed no progress.';
}
