import { useMemo } from 'react';
import type { Curve, Trial } from '../../../api/trials/trial.ts';
import { trialPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { formatValue } from '../../parts/numbers.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import type { Layer } from '../../parts/chart/layers.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { trialRefresh } from '../trial/trial-refresh.ts';
import { nameBeside } from './rows.ts';

/** The curves of two trials in one chart, or in two charts if they show different quantities. */
export function Curves({ a, b }: { a: Trial; b: Trial }) {
  const left = useCurve(a);
  const right = useCurve(b);
  const layers = useMemo(
    () => [
      ...lineOf(left, { name: nameBeside(a, b), second: false }),
      ...lineOf(right, { name: nameBeside(b, a), second: true }),
    ],
    [left, right, a.trialId, b.trialId],
  );
  if (!left || !right) return <Panel title="Curves">{<Empty>Reading the curves</Empty>}</Panel>;
  const incomparable = left.name !== right.name && left.step.length > 0 && right.step.length > 0;
  const [first, second] = layers;
  const charts = () => {
    if (first === undefined) return <Empty>Neither run printed any progress.</Empty>;
    if (incomparable && second !== undefined)
      return (
        <>
          <CurveChart layers={[first]} name={left.name} urlKey="a" />
          <CurveChart layers={[second]} name={right.name} urlKey="b" />
        </>
      );
    return <CurveChart layers={layers} name={left.step.length > 0 ? left.name : right.name} urlKey="c" />;
  };
  return (
    <Panel title="Curves" note={incomparable ? 'two quantities, each on its own axis' : `${left.name} by step`}>
      {charts()}
    </Panel>
  );
}

const useCurve = (trial: Trial): Curve | undefined =>
  useResource<Curve>(trialPath(trial.trialId, 'curve'), trialRefresh(trial)).data;

function lineOf(curve: Curve | undefined, { name, second }: { name: string; second: boolean }): Layer[] {
  if (!curve || curve.step.length === 0) return [];
  const style = second ? { ink: '--stopped-early' as const, dash: [6, 3] } : { ink: '--accent' as const };
  return [{ kind: 'line', label: name, x: curve.step, y: curve.value, width: 1.75, ...style }];
}

interface CurveChartProps {
  layers: readonly Layer[];
  name: string;
  /** Last part of the chart's key in the URL (`curve.a`); unique on the page. */
  urlKey: string;
}

const CurveChart = ({ layers, name, urlKey }: CurveChartProps) => (
  <Chart
    label={`${name} of ${layers.map((layer) => layer.label).join(' and ')}`}
    name={`curve.${urlKey}`}
    layers={layers}
    xName="step"
    yName={name}
    yText={formatValue}
    log
    height={260}
  />
);
