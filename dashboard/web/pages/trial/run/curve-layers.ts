import type { Curve, Forecast, Trial } from '../../../../api/trials/trial.ts';
import type { Layer } from '../../../parts/chart/layers.ts';

interface CurveInput {
  curve: Curve;
  forecast: Forecast | null;
  trial: Pick<Trial, 'metric' | 'value'>;
}

/** True if the curve shows the metric itself, so that values of the metric belong on its axis. */
export const showsMetric = (curve: Curve, metric: Trial['metric']): boolean => curve.name === metric.name;

/**
 * Step at which the budget ends, extrapolated from the step and the share of the budget at which the rule judged the
 * run. If the rule did not judge it, the last step.
 */
export function endOf(curve: Curve, forecast: Forecast | null): number {
  const last = curve.step.at(-1) ?? 0;
  if (!curve.mark || !forecast?.share) return last;
  return Math.max(last, curve.mark.step / forecast.share);
}

/**
 * Layers of a run's curve: the value to beat, the forecast, the curve, and a mark where the early-abort rule wanted to
 * stop the run. The value to beat and the forecast are left out if the curve shows another quantity than the metric.
 */
export function layersOf({ curve, forecast, trial }: CurveInput): Layer[] {
  const layers: Layer[] = [];
  const same = showsMetric(curve, trial.metric);
  if (same && forecast?.toBeat !== null && forecast?.toBeat !== undefined)
    layers.push({ kind: 'level', label: 'to beat', y: forecast.toBeat, ink: '--good', dash: [6, 4] });
  if (same && forecast) layers.push(...interval(forecast, endOf(curve, forecast)));
  layers.push({ kind: 'line', label: curve.name, x: curve.step, y: curve.value, ink: '--accent', width: 1.75 });
  if (curve.mark) layers.push({ kind: 'mark', label: curve.mark.label, x: curve.mark.step, ink: '--stopped-early' });
  return layers;
}

/** Half the length of the line at each end of the whiskers, as a share of the steps. */
const CAP = 0.01;

/** A dot at the forecast with vertical whiskers over its interval, at the end of the budget. */
function interval({ forecast, low, high }: Forecast, end: number): Layer[] {
  if (forecast === null) return [];
  const [ink, label] = ['--stopped-early', 'forecast'] as const;
  const dot: Layer = {
    kind: 'dots',
    label,
    x: [end],
    y: [forecast],
    group: [0],
    groups: [{ label, ink, shape: { path: 'M6 1.5a4.5 4.5 0 1 0 .001 0Z', filled: true } }],
  };
  if (low === null || high === null) return [dot];
  const [from, to] = [end * (1 - CAP), end * (1 + CAP)];
  const whiskers: Layer = {
    kind: 'line',
    label,
    ink,
    unlisted: true,
    width: 2,
    x: [from, to, end, end, end, end, from, to],
    y: [high, high, null, high, low, null, low, low],
  };
  return [whiskers, dot];
}
