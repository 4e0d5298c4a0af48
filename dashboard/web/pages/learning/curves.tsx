import { useMemo, useState, type PointerEvent, type ReactNode } from 'react';
import type { Learning, Update } from '../../../api/learning.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { pagePalette } from '../../../../view/figure/palette.ts';
import { traceDrawing, updateAt } from '../../../../view/figure/drawings/trace.ts';
import { Drawing } from '../../parts/drawing/drawing.tsx';
import { useTableView } from '../../parts/drawing/use-table-view.tsx';
import { useSize } from '../../parts/drawing/use-size.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { tracesOf, type NamedTrace } from './traces.ts';

interface Props {
  /** Controls at the end of the panel's title. */
  end: ReactNode;
  updates: readonly Update[];
  references: Learning['references'];
  evaluations: Learning['evaluations'];
  /** The selected update. */
  chosen: number | null;
  choose: (k: number) => void;
}

/** Number of curves shown at first. */
const FIRST = 8;

/** Reward and health metrics of the updates, with a small curve for each metric. */
export function Curves({ end, updates, references, evaluations, chosen, choose }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const [all, setAll] = useState(false);
  const { asTable, toggle } = useTableView('curves');
  const traces = useMemo(() => tracesOf(updates, references, evaluations), [updates, references, evaluations]);
  const shown = all ? traces : traces.slice(0, FIRST);
  const marked = hovered ?? chosen;
  return (
    <Panel
      title="Reward and health"
      note={marked === null ? 'by update' : `by update; the numbers are those of update ${marked}`}
      end={
        <span className="row">
          {toggle}
          {end}
        </span>
      }
    >
      {asTable ? (
        <CurvesTable traces={traces} updates={updates} />
      ) : (
        <div className="curves" onPointerLeave={() => setHovered(null)}>
          {shown.map((trace) => (
            <Curve key={trace.metric} trace={trace} marked={marked} hover={setHovered} choose={choose} />
          ))}
        </div>
      )}
      {!asTable && traces.length > FIRST ? (
        <p className="curves-more">
          <button type="button" className="button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer curves' : `${traces.length - FIRST} more curves`}
          </button>
        </p>
      ) : null}
      <p className="small quiet legend-gates">
        <span aria-hidden="true" className="gate-sign">
          ▼
        </span>{' '}
        a gate fired on that number{' '}
        <span aria-hidden="true" className="gate-sign halt">
          ■
        </span>{' '}
        and halted learning
      </p>
      <RewardLegend references={references} />
    </Panel>
  );
}

/** Explains bars and dotted lines of the reward's curve. */
function RewardLegend({ references }: { references: Learning['references'] }) {
  return (
    <ul className="small quiet reward-legend">
      <li>
        Bars of the mean reward: 95 % intervals from the spread of the draws and the noise of the runs. An error of the
        baseline shifts the whole curve, and is not in them.
      </li>
      {references.map(({ name, value, shift, stays }) => (
        <li key={name}>
          Dotted: <UntrustedText text={name} line max={40} /> {formatValue(value)}
          {stays === null
            ? `, shifted by ${formatSigned(shift)} to the baseline of this research`
            : `, not shifted: ${stays}`}
        </li>
      ))}
    </ul>
  );
}

/** Table of the curves: a row for each update, the newest first. */
function CurvesTable({ traces, updates }: { traces: readonly NamedTrace[]; updates: readonly Update[] }) {
  const newest = [...updates].sort((a, b) => b.k - a.k);
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of updates">
      <table className="table">
        <caption className="unseen">Numbers of the updates, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Update</th>
            {traces.map(({ metric, name }) => (
              <th key={metric} scope="col" className="number">
                {name}
              </th>
            ))}
            <th scope="col">Gates that fired</th>
          </tr>
        </thead>
        <tbody>
          {newest.map((update) => (
            <tr key={update.k}>
              <th scope="row">{update.k}</th>
              {traces.map(({ metric, points }) => (
                <td key={metric} className="number">
                  {formatValue(points.find(({ x }) => x === update.k)?.y)}
                </td>
              ))}
              <td>{update.gates.map(({ words }) => words).join('; ') || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CurveProps {
  trace: NamedTrace;
  marked: number | null;
  hover: (k: number | null) => void;
  choose: (k: number) => void;
}

function Curve({ trace, marked, hover, choose }: CurveProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const dimensions = { width: size?.width ?? 0, height: 112 };
  const updateUnder = (event: PointerEvent) =>
    updateAt({ ...trace, ...dimensions }, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const value = trace.points.find(({ x }) => x === marked)?.y ?? null;
  const fired = trace.gates.length;
  return (
    <div className="trace">
      <p className="small trace-name">
        <strong>{trace.name}</strong>
        <span>{marked === null ? '' : formatValue(value)}</span>
      </p>
      <div
        ref={box}
        onPointerMove={(event) => hover(updateUnder(event))}
        onClick={(event) => choose(updateUnder(event as unknown as PointerEvent))}
      >
        {dimensions.width === 0 ? null : (
          <Drawing
            drawing={{
              ...traceDrawing({ ...trace, ...dimensions, marked }, pagePalette),
              title: `${trace.name} by update${fired === 0 ? '' : `, a gate fired ${fired} times`}`,
            }}
          />
        )}
      </div>
    </div>
  );
}
