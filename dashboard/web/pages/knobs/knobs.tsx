import type { Explanation } from '../../../api/research/explanation.ts';
import { candidatesText } from '../../../../view/explanation/texts.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ResearchHeader, useResearch } from '../research/header.tsx';
import { Ablations } from './ablations.tsx';
import { Importances } from './importances.tsx';
import { ParallelPanel } from './parallel-panel.tsx';
import { SlicesPanel } from './slices-panel.tsx';

/** Page of what mattered: the importance of each knob, slices, and parallel coordinates. */
export function Knobs({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error: failed } = useResearch(id);
  const { data, error = failed } = useResource<Explanation>(researchPath(id, 'explanation'), {
    research: id,
    everyMs: 15_000,
  });
  return (
    <>
      <ResearchHeader id={id} tab="knobs" research={research} />
      {data ? (
        <div className="stack knobs">
          <KnobParts explanation={data} />
          <Ablations id={id} ablations={data.ablations} />
        </div>
      ) : (
        <Empty>{error ? error.message : 'Reading the candidates'}</Empty>
      )}
    </>
  );
}

function KnobParts({ explanation }: { explanation: Explanation }) {
  const { knobs, candidates, top, metric } = explanation;
  if (knobs.length === 0)
    return (
      <Empty>
        The task of this research has no knobs. For a task with knobs, this page shows which of them mattered.
      </Empty>
    );
  const sorted = [...knobs].sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  return (
    <>
      <Panel title="Importance of knobs" note={`for ${metric.name}, by PED-ANOVA, with 95 % intervals`}>
        <Importances knobs={sorted} />
        <ul className="small quiet knob-notes">
          {candidatesText(candidates, top).map((line) => (
            <li key={line}>{line}</li>
          ))}
          <li>The search chose the candidates: a knob that changed together with a good one shares its importance.</li>
        </ul>
      </Panel>
      <SlicesPanel knobs={sorted} metric={metric} />
      <ParallelPanel explanation={explanation} sorted={sorted} />
    </>
  );
}
