import { useMemo } from 'react';
import type { Curve, Trial } from '../../../api/trials/trial.ts';
import { ofTrial } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { formatValue } from '../../../../domain/text/format.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import type { Layer } from '../../parts/chart/layers.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { trialRefresh } from '../trial/trial-refresh.ts';
import { nameIn } from './rows.ts';

/** The curves of two trials in one chart; in two where they show two quantities. */
export function Curves({ a, b }: { a: Trial; b: Trial }) {
  const left = useCurve(a);
  const right = useCurve(b);
  const layers = useMemo(
    () => [
      ...lineOf(left, { name: nameIn(a, b), second: false }),
      ...lineOf(right, { name: nameIn(b, a), second: true }),
    ],
    [left, right, a.trialId, b.trialId],
  );
  if (!left || !right) return <Panel title="Curves">{<Empty>Reading the curves</Empty>}</Panel>;
  const apart = left.name !== right.name && left.step.length > 0 && right.step.length > 0;
  const [first, second] = layers;
  return (
    <Panel title="Curves" note={apart ? 'two quantities, each on its own axis' : `${left.name} by step`}>
      {first === undefined ? (
        <Empty>Neither run told of its progress.</Empty>
      ) : apart && second !== undefined ? (
        <>
          <One layers={[first]} name={left.name} parameter="a" />
          <One layers={[second]} name={right.name} parameter="b" />
        </>
      ) : (
        <One layers={layers} name={left.step.length > 0 ? left.name : right.name} parameter="c" />
      )}
    </Panel>
  );
}

const useCurve = (trial: Trial): Curve | undefined =>
  useResource<Curve>(ofTrial(trial.trialId, 'curve'), trialRefresh(trial)).data;

function lineOf(curve: Curve | undefined, { name, second }: { name: string; second: boolean }): Layer[] {
  if (!curve || curve.step.length === 0) return [];
  const look = second ? { ink: '--stopped-early' as const, dash: [6, 3] } : { ink: '--accent' as const };
  return [{ kind: 'line', label: name, x: curve.step, y: curve.value, width: 1.75, ...look }];
}

const One = ({ layers, name, parameter }: { layers: readonly Layer[]; name: string; parameter: string }) => (
  <Chart
    label={`${name} of ${layers.map((layer) => layer.label).join(' and ')}`}
    name={`curve.${parameter}`}
    layers={layers}
    xName="step"
    yName={name}
    yText={formatValue}
    log
    height={260}
  />
);
