import { useState } from 'react';
import type { ExplainedKnob, Explanation } from '../../../api/research/explanation.ts';
import { sliceDrawing, type Slice } from '../../../../view/figure/drawings/slice.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { pagePalette } from '../../../../view/figure/palette.ts';
import { ChartTable } from '../../parts/chart/chart-table.tsx';
import { Drawing } from '../../parts/drawing/drawing.tsx';
import { useSize } from '../../parts/drawing/use-size.ts';
import { useTableView } from '../../parts/drawing/use-table-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { sharedRange, sliceRows } from './slices.ts';

/** Number of slices shown at first. */
const FIRST = 8;

/** Panel of the slices: the median of candidates by the value of one knob. */
export function SlicesPanel({ knobs, metric }: { knobs: readonly ExplainedKnob[]; metric: Explanation['metric'] }) {
  const [all, setAll] = useState(false);
  const { asTable, toggle } = useTableView('slices');
  const shown = all ? knobs : knobs.slice(0, FIRST);
  const range = sharedRange(knobs);
  const unit = metric.unit === null ? '' : `, ${metric.unit}`;
  const goal = metric.direction === 'minimize' ? 'lower is better' : 'higher is better';
  return (
    <Panel title="Slices" note={`median of ${metric.name}${unit} by the value of one knob; ${goal}`} end={toggle}>
      {asTable ? (
        <ChartTable
          label="Slices"
          table={{ head: ['Knob', 'Value', 'Candidates', 'Median', '95 % interval'], rows: sliceRows(knobs) }}
        />
      ) : (
        <div className="curves">
          {shown.map((knob) => (
            <KnobSlice key={knob.key} knob={knob} range={range} />
          ))}
        </div>
      )}
      {!asTable && knobs.length > FIRST ? (
        <p className="curves-more">
          <button type="button" className="button" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Fewer knobs' : `${knobs.length - FIRST} more knobs`}
          </button>
        </p>
      ) : null}
      <p className="small quiet knob-notes">
        Bars: 95 % intervals of the medians. A hollow dot has too few trials for an interval: fewer than six candidates.
      </p>
    </Panel>
  );
}

function KnobSlice({ knob, range }: { knob: ExplainedKnob; range: Slice['range'] }) {
  const [box, size] = useSize<HTMLDivElement>();
  const { name, slice } = knob;
  return (
    <div className="slice">
      <p className="small">
        <strong>
          <UntrustedText text={name} line max={60} />
        </strong>
      </p>
      <div ref={box}>
        {size === null || size.width === 0 ? null : (
          <Drawing
            drawing={sliceDrawing(
              {
                title: `Median by ${visibleLine(name, 60)}; the table has the numbers`,
                parts: slice,
                range,
                width: size.width,
                height: 128,
              },
              pagePalette,
            )}
          />
        )}
      </div>
    </div>
  );
}
