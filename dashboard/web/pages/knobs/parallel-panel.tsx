import type { ExplainedKnob, Explanation } from '../../../api/research/explanation.ts';
import { parallelDrawing } from '../../../../view/figure/drawings/parallel.ts';
import { pagePalette } from '../../../../view/figure/palette.ts';
import { ChartTable } from '../../parts/chart/chart-table.tsx';
import { Drawing } from '../../parts/drawing/drawing.tsx';
import { useSize } from '../../parts/drawing/use-size.ts';
import { useTableView } from '../../parts/drawing/use-table-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { lineRows } from './slices.ts';

/** Least distance of two axes, in pixels. */
const DISTANCE = 60;

/** Panel of the parallel coordinates: an axis for each knob, a line for each candidate. */
export function ParallelPanel({ explanation, sorted }: { explanation: Explanation; sorted: readonly ExplainedKnob[] }) {
  const { knobs, lines, metric, candidates } = explanation;
  const { asTable, toggle } = useTableView('parallel');
  const [box, size] = useSize<HTMLDivElement>();
  const order = sorted.map(({ key }) => knobs.findIndex((knob) => knob.key === key));
  const width = size?.width ?? 0;
  const drawn = order.slice(0, Math.max(2, Math.floor(width / DISTANCE)));
  const sampled =
    lines.length < candidates.used ? `${lines.length} of ${candidates.used} candidates` : 'all candidates';
  const axes = drawn.flatMap((index) => {
    const { name, slice } = knobs[index] ?? {};
    return name === undefined ? [] : [{ name, low: slice?.[0]?.from ?? '', high: slice?.at(-1)?.to ?? '' }];
  });
  return (
    <Panel title="Parallel coordinates" note={`${sampled}; the coloured lines are the top`} end={toggle}>
      {asTable ? (
        <ChartTable
          label="Parallel coordinates"
          table={{
            head: [metric.name, 'Top', ...sorted.map(({ name, file }) => `${name} (${file})`)],
            rows: lineRows(lines, order),
          }}
        />
      ) : (
        <div ref={box}>
          {width === 0 ? null : (
            <Drawing
              drawing={parallelDrawing(
                {
                  title: `Knobs of ${lines.length} candidates; the table has the numbers`,
                  axes,
                  lines: lines.map(({ positions, isTop }) => ({
                    positions: drawn.map((index) => positions[index] ?? null),
                    isTop,
                  })),
                  width,
                  height: 280,
                },
                pagePalette,
              )}
            />
          )}
        </div>
      )}
      {!asTable && drawn.length < knobs.length ? (
        <p className="small quiet knob-notes">
          The {drawn.length} most important knobs; the table has all {knobs.length}.
        </p>
      ) : null}
    </Panel>
  );
}
