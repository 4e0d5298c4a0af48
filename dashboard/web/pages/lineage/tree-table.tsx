import { useMemo, useState } from 'react';
import type { Metric } from '../../../api/shared.ts';
import type { z } from 'zod';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { valueText } from '../../parts/value.tsx';
import { hrefOfTrial } from '../../parts/trial-link.tsx';
import type { Layout } from './layout.ts';
import { NodeOutcome, Unfold } from './node-card.tsx';
import { nodeName } from './node-labels.ts';
import type { Folding } from './use-unfolded.ts';

interface Props {
  id: string;
  layout: Layout;
  path: ReadonlySet<string>;
  metric: z.infer<typeof Metric>;
  folding: Folding;
}

/** Number of rows shown at first. */
const FIRST = 200;

/** Table of the tree, with each candidate below its parent. */
export function TreeTable({ id, layout, path, metric, folding }: Props) {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => (all ? layout.places : layout.places.slice(0, FIRST)), [all, layout]);
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of candidates">
      <table className="table">
        <caption className="unseen">Candidates, each below its parent</caption>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            <th scope="col">Parent</th>
            <th scope="col" className="number">
              {metric.name}
            </th>
            <th scope="col">Outcome</th>
            <th scope="col">Hypothesis</th>
            <th scope="col">Below it</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, parent, depth }) => {
            const parentNode = parent === null ? undefined : layout.places[parent]?.node;
            return (
              <tr key={node.candidateId} data-path={path.has(node.candidateId)}>
                <td style={{ paddingLeft: `${0.5 + 0.75 * Math.min(8, depth - 1)}rem` }}>
                  {node.n === null ? nodeName(node) : <a href={hrefOfTrial(id, node.n)}>{nodeName(node)}</a>}
                </td>
                <td>{parentNode ? nodeName(parentNode) : '–'}</td>
                <td className="number">{valueText(node.value, { unit: metric.unit })}</td>
                <td>
                  <span className="row">
                    <NodeOutcome node={node} />
                  </span>
                </td>
                <td className="idea">
                  {node.hypothesis === null ? '–' : <UntrustedText text={node.hypothesis} line max={160} />}
                </td>
                <td>
                  <Unfold node={node} folding={folding} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length < layout.places.length ? (
        <p>
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {layout.places.length}
          </button>
        </p>
      ) : null}
    </div>
  );
}
