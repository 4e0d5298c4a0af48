import { useMemo, useState } from 'react';
import type { Research } from '../../../api/research.ts';
import type { Tree } from '../../../api/tree.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Choice, useTableView } from '../../parts/drawing/use-table-view.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ExportMenu } from '../../parts/export/export-menu.tsx';
import { Panel } from '../../parts/panel.tsx';
import { hrefOfTrial } from '../../parts/trial-link.tsx';
import { setParams, useAddress } from '../../router.ts';
import { ResearchHeader, useResearch } from '../research/header.tsx';
import { foldedIn, forestOf, type Forest } from './forest.ts';
import { NodeCard } from './node-card.tsx';
import { layoutOf } from './layout.ts';
import { StepList } from './step-list.tsx';
import { stepsOf } from './steps.ts';
import { TreeCanvas } from './tree-canvas.tsx';
import { TreeTable } from './tree-table.tsx';
import { lineageView } from './view.ts';
import { useUnfolded, type Folding } from './use-unfolded.ts';

/** Page of a research's lineage: the tree of candidates, and the steps from the baseline to the best. */
export function Lineage({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error: failed } = useResearch(id);
  const { data: tree, error } = useResource<Tree>(researchPath(id, 'tree'), { research: id });
  const failure = failed ?? error;
  return (
    <>
      <ResearchHeader id={id} tab="lineage" research={research} />
      {research && tree ? (
        <LineageParts key={id} id={id} research={research} tree={tree} />
      ) : (
        <Empty>{failure ? failure.message : 'Reading the lineage'}</Empty>
      )}
    </>
  );
}

interface Props {
  id: string;
  research: Research;
  tree: Tree;
}

function LineageParts({ id, research, tree }: Props) {
  const { trees, error, ...folding } = useUnfolded(id);
  const forest = useMemo(() => forestOf([tree, ...trees]), [tree, trees]);
  const { claims, metric } = research;
  const claimed = useAddress().params.get('steps') === 'claims';
  const steps = useMemo(
    () => stepsOf({ tree, claims, claimed, direction: metric.direction }),
    [tree, claims, claimed, metric.direction],
  );
  if (tree.nodes.length === 0)
    return (
      <Empty>
        No candidate yet. The unmodified version is measured first. Each later idea becomes a child of the candidate
        that it changes.
      </Empty>
    );
  return (
    <div className="lineage">
      <TreePanel
        id={id}
        research={research}
        tree={tree}
        forest={forest}
        folding={folding}
        note={error === undefined ? null : `The rest could not be read: ${error.message}`}
      />
      <Panel
        title="From the baseline to the best"
        note={steps.length < 2 ? undefined : `${plural(steps.length - 1, 'step')}; a filled dot is claimed`}
        end={tree.path.length < 3 ? undefined : <Steps claimed={claimed} />}
        className="lineage-steps"
      >
        <StepList id={id} steps={steps} metric={metric} sd={research.status.baseline?.sd ?? null} />
      </Panel>
    </div>
  );
}

/** Choice between all steps and the steps that were claimed. */
const Steps = ({ claimed }: { claimed: boolean }) => (
  <Choice
    label="Steps"
    options={[
      { value: 'all', words: 'All' },
      { value: 'claims', words: 'Claims' },
    ]}
    value={claimed ? 'claims' : 'all'}
    choose={(value) => setParams({ steps: value === 'all' ? null : value })}
  />
);

interface TreeProps extends Props {
  forest: Forest;
  folding: Folding;
  note: string | null;
}

function TreePanel({ id, research, tree, forest, folding, note }: TreeProps) {
  const { metric } = research;
  const path = useMemo(() => new Set(tree.path), [tree.path]);
  const layout = useMemo(() => layoutOf(forest, path), [forest, path]);
  const [selectedId, setSelected] = useState<string | null>(null);
  const { asTable, toggle } = useTableView('tree');
  const selected = selectedId === null ? null : (layout.indexOf.get(selectedId) ?? null);
  const nodeAt = (index: number) => layout.places[index]?.node;
  const open = (index: number) => {
    const n = nodeAt(index)?.n;
    if (n !== null && n !== undefined) location.hash = hrefOfTrial(id, n);
  };
  const folded = foldedIn(forest);
  const counts = `${plural(tree.candidates, 'candidate')}${folded === 0 ? '' : `, ${folded} folded into counts`}`;
  const end = (
    <span className="row">
      {toggle}
      <ExportMenu view={() => lineageView({ id, research, tree, forest })} />
    </span>
  );
  return (
    <Panel title="The tree" note={counts} end={end} className="lineage-tree">
      {note === null ? null : <p role="alert">{note}</p>}
      {asTable ? (
        <TreeTable id={id} layout={layout} path={path} metric={metric} folding={folding} />
      ) : (
        <>
          <TreeCanvas
            layout={layout}
            path={path}
            selected={selected}
            open={open}
            best={tree.path.at(-1)}
            select={(index) => setSelected(nodeAt(index)?.candidateId ?? null)}
            unfold={(index) => folding.unfold(nodeAt(index)?.candidateId ?? '')}
          />
          <NodeCard id={id} metric={metric} folding={folding} node={selected === null ? undefined : nodeAt(selected)} />
        </>
      )}
    </Panel>
  );
}
