import { useMemo } from 'react';
import { numberText } from '../../../../../domain/text/format.ts';
import { plural } from '../../../../../domain/text/plural.ts';
import { visible } from '../../../../../domain/text/visible.ts';
import type { Axis, Pareto } from '../../../../api/trials/pareto.ts';
import { Chart } from '../../../parts/chart/chart.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { formatInteger } from '../../../parts/numbers.ts';
import { betterDirectionLabel } from '../../../parts/value.tsx';
import { setParams } from '../../../router.ts';
import { paretoLayers, placeAt } from './pareto-layers.ts';

interface Props {
  pareto: Pareto;
  hrefFor: (n: number) => string;
}

/** Candidates by two numbers, with the front of those that no other one dominates. */
export function ParetoPanel({ pareto, hrefFor }: Props) {
  const { names, x, y, front, frontTotal, rest, total, without } = pareto;
  const layers = useMemo(() => paretoLayers(pareto), [pareto]);
  const drawn = rest.n.length + front.length;
  const [xName, yName] = [shortName(x.name), shortName(y.name)];
  return (
    <Panel
      className="pareto"
      title="Trade-off"
      note={
        <>
          {plural(frontTotal, 'candidate')} in the front
          {drawn < total ? ` · ${formatInteger(drawn)} of ${formatInteger(total)} drawn` : ''}
          {without > 0 ? ` · ${formatInteger(without)} without both numbers` : ''}
        </>
      }
    >
      <Chart
        name="front"
        label={`${plural(total, 'candidate')} by ${xName} and ${yName}, with the front`}
        layers={layers}
        height={220}
        xName={xName}
        yName={yName}
        log
        tools={
          <>
            <AxisChoice axis={y} param="y" label="Vertical" names={names} />
            <AxisChoice axis={x} param="x" label="Horizontal" names={names} />
          </>
        }
        tip={(point) => {
          const place = placeAt(pareto, point);
          if (place === null) return { title: 'front', lines: [] };
          const lines = [`${xName} ${numberText(place.x)}`, `${yName} ${numberText(place.y)}`];
          return { title: `#${place.n}`, lines: place.idea ? [...lines, place.idea] : lines };
        }}
        onPick={(point) => {
          const place = placeAt(pareto, point);
          if (place !== null) location.hash = hrefFor(place.n);
        }}
        table={() => ({
          head: ['Candidate', xName, yName === xName ? `${yName} (vertical)` : yName, 'Idea'],
          rows: front.map((place) => ({
            cells: [`#${place.n}`, numberText(place.x), numberText(place.y), place.idea ?? ''],
            href: hrefFor(place.n),
          })),
        })}
      />
    </Panel>
  );
}

/** Limit of characters of a name. */
const SHOWN = 60;

function shortName(name: string): string {
  const text = visible(name.replace(/^(metric|knob)\./, ''));
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

interface ChoiceProps {
  axis: Axis;
  param: 'x' | 'y';
  label: string;
  names: readonly string[];
}

/** Choice of an axis, and of its direction if the task gives none. */
const AxisChoice = ({ axis: { name, better, fromTask }, param, label, names }: ChoiceProps) => (
  <span className="axis-choice small">
    <select
      aria-label={`${label} axis`}
      value={name}
      onChange={(event) => setParams({ [param]: event.target.value, [`${param}Better`]: null })}
    >
      {names.map((one) => (
        <option key={one} value={one}>
          {shortName(one)}
        </option>
      ))}
    </select>
    <button
      type="button"
      className="button small"
      disabled={fromTask}
      aria-label={`${label} axis: ${betterDirectionLabel(better)}`}
      title={fromTask ? 'The task gives this direction' : 'Press to turn the direction'}
      onClick={() => setParams({ [`${param}Better`]: better === 'minimize' ? 'maximize' : 'minimize' })}
    >
      {betterDirectionLabel(better)}
    </button>
  </span>
);
