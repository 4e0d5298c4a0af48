import { useCallback, useMemo, useState, type PointerEvent } from 'react';
import type { Gantt } from '../../../api/fleet.ts';
import { GANTT_KINDS } from '../../../../view/figure/drawings/gantt.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { useResource } from '../../data/use-resource.ts';
import { pageColours } from '../../parts/drawing/page-colours.ts';
import { Choice, useTableView } from '../../parts/drawing/use-table-view.tsx';
import { useCanvas } from '../../parts/drawing/use-canvas.ts';
import { useSize } from '../../parts/drawing/use-size.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { hrefOfTrialId } from '../../parts/trial-href.ts';
import { setParams, useAddress } from '../../router.ts';
import { barAt, ganttKindOf, planeHeight, rowsOf, type GanttPlane } from './gantt-bars.ts';
import { ganttPath } from './gantt-path.ts';
import { paintGantt } from './gantt-paint.ts';
import { GanttTable } from './gantt-table.tsx';
import { HOURS, hoursOf, DEFAULT_HOURS } from './hours.ts';
import { KindSign } from './kind-sign.tsx';
import { slotName } from './labels.ts';
import { clock } from './time-ticks.ts';

/** Runs on slots over the last hours. */
export function GanttPanel({ now, known }: { now: string; known: readonly string[] }) {
  const hours = hoursOf(useAddress().params.get('hours'));
  const { asTable, toggle } = useTableView('runs');
  const { data, error } = useResource<Gantt>(ganttPath(hours, now), { everyMs: 10_000 });
  const end = (
    <span className="row">
      <Choice
        label="Time span"
        options={HOURS}
        value={hours}
        choose={(value) => setParams({ hours: value === DEFAULT_HOURS ? null : value })}
      />
      {toggle}
    </span>
  );
  const content = () => {
    if (!data) return <Empty>{error ? error.message : 'Reading the runs'}</Empty>;
    if (data.bars.slot.length === 0)
      return <Empty>Nothing ran in the last {hours === '1' ? 'hour' : `${hours} hours`}.</Empty>;
    return asTable ? <GanttTable gantt={data} /> : <GanttChart gantt={data} known={known} />;
  };
  return (
    <Panel title="Runs over time" note={data ? noteOf(data) : undefined} end={end}>
      {content()}
    </Panel>
  );
}

const noteOf = ({ bars, cut }: Gantt): string => `${plural(bars.slot.length, 'run')}${cut ? ', only the newest' : ''}`;

function GanttChart({ gantt, known }: { gantt: Gantt; known: readonly string[] }) {
  const [box, size] = useSize<HTMLDivElement>();
  const [marked, setMarked] = useState<number | null>(null);
  const rows = useMemo(() => rowsOf(gantt, known), [gantt, known]);
  const height = planeHeight(rows.length);
  const width = size?.width ?? 0;
  const plane = useMemo<GanttPlane>(() => ({ width, left: width < 520 ? 84 : 150, rows }), [width, rows]);
  const painted = useMemo(() => ({ width, height }), [width, height]);
  const paint = useCallback(
    (pen: CanvasRenderingContext2D) => paintGantt(pen, { gantt, plane, marked }, pageColours()),
    [gantt, plane, marked],
  );
  const canvas = useCanvas(painted, paint);
  const barUnder = (event: PointerEvent) => {
    const rect = event.currentTarget.getBoundingClientRect();
    return barAt(gantt, plane, { x: event.clientX - rect.left, y: event.clientY - rect.top });
  };
  // A touch has no hover: the first tap marks a bar, the second one opens its trial.
  const open = (event: PointerEvent) => {
    const bar = barUnder(event);
    const trialId = bar === null ? undefined : gantt.bars.trialId[bar];
    if (trialId === undefined) return;
    if (event.pointerType === 'mouse' || bar === marked) location.hash = hrefOfTrialId(trialId);
    else setMarked(bar);
  };
  const kinds = new Set(gantt.bars.slot.map((_, bar) => ganttKindOf(gantt, bar)));
  return (
    <>
      <ul className="row small gantt-legend">
        {Object.values(GANTT_KINDS)
          .filter((kind) => kinds.has(kind))
          .map((kind) => (
            <li key={kind.word} className="row">
              <KindSign kind={kind} /> {kind.word}
            </li>
          ))}
      </ul>
      <div ref={box} className="gantt" style={{ height }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label="Runs on slots over time. For a table, choose Table above."
          style={{ width, height }}
          data-over={marked === null ? '' : 'bar'}
          onPointerMove={(event) => setMarked(barUnder(event))}
          onPointerLeave={() => setMarked(null)}
          onPointerUp={open}
        />
      </div>
      <p className="small gantt-note" aria-live="polite">
        {marked === null ? (
          <span className="quiet">Point at a bar for its run; click to open its trial.</span>
        ) : (
          describeBar(gantt, marked)
        )}
      </p>
    </>
  );
}

/** A run in words: its trial, outcome, duration, start and slot. */
function describeBar(gantt: Gantt, bar: number) {
  const { trialId, slot, start, seconds } = gantt.bars;
  const id = trialId[bar] ?? '';
  const began = new Date(Date.parse(gantt.from) + (start[bar] ?? 0) * 1000);
  const slotId = gantt.slots[slot[bar] ?? -1] ?? '';
  const text =
    `${ganttKindOf(gantt, bar).word}, ${formatSeconds(seconds[bar])} ` + `from ${clock(began)} on ${slotName(slotId)}`;
  return (
    <>
      <a href={hrefOfTrialId(id)}>{id}</a> {text}
    </>
  );
}
