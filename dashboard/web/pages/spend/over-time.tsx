import { useMemo } from 'react';
import type { Spend } from '../../../api/spend.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import type { Layer } from '../../parts/chart/layers.ts';
import { Choice } from '../../parts/drawing/use-table-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { momentText } from '../../parts/zone.ts';
import { setParams } from '../../router.ts';
import { STRETCHES, stretchSeconds, UNITS, type Stretch, type Unit } from './units.ts';

/** Chart of the spend by hour or by day. */
export function OverTime({ spend: { hours }, stretch, unit }: { spend: Spend; stretch: Stretch; unit: Unit }) {
  const layers = useMemo<Layer[]>(
    () => [
      {
        kind: 'bars',
        label: unit.words,
        ink: '--accent',
        width: stretchSeconds(stretch),
        x: hours.at.map((at) => Date.parse(at) / 1000),
        y: hours[unit.value],
      },
    ],
    [hours, stretch, unit],
  );
  const end = (
    <span className="row">
      <Choice
        label="Counted in"
        options={UNITS}
        value={unit.value}
        choose={(value) => setParams({ unit: value === 'usd' ? null : value })}
      />
      <Choice
        label="By"
        options={STRETCHES}
        value={stretch}
        choose={(value) => setParams({ by: value === 'hour' ? null : value })}
      />
    </span>
  );
  return (
    <Panel
      title="Over time"
      note={`${unit.label} ${stretch === 'day' ? 'a day' : 'an hour'}, the last 30 days`}
      end={end}
    >
      {hours.at.length === 0 ? (
        <p className="quiet">Nothing was spent in the last 30 days.</p>
      ) : (
        <Chart
          label={`Spend in ${unit.label} by ${stretch}`}
          layers={layers}
          name="s"
          height={240}
          xKind="moment"
          xName={stretch === 'day' ? 'Day from' : 'Hour from'}
          yName={unit.words}
          xText={(at) => momentText(new Date(at * 1000).toISOString()).slice(0, 16)}
          yText={unit.format}
          yTick={(value) => unit.format(value).replace(/\.0+(?=\D|$)/, '')}
          legend={false}
        />
      )}
    </Panel>
  );
}
