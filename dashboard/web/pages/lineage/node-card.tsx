import type { Metric } from '../../../api/shared.ts';
import type { Node } from '../../../api/tree.ts';
import type { z } from 'zod';
import { plural } from '../../../../domain/text/plural.ts';
import { OutcomeBadge } from '../../parts/outcome/outcome.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { valueText } from '../../parts/value.tsx';
import { hrefOfTrial } from '../../parts/trial-link.tsx';
import type { Folding } from './use-unfolded.ts';
import { nodeName, outcomeOfNode, roleLabel } from './node-labels.ts';

interface Props {
  id: string;
  node: Node | undefined;
  metric: z.infer<typeof Metric>;
  folding: Folding;
}

/** Details of the selected candidate, or help if none is selected. */
export function NodeCard({ id, node, metric, folding }: Props) {
  if (!node)
    return (
      <p className="node-card quiet small">
        Point at a candidate to read its idea; click, or press Enter, to open its trial. Click a count such as +12 to
        unfold the candidates below. Drag to move the tree; use Ctrl and the wheel to zoom.
      </p>
    );
  return (
    <div className="node-card small" aria-live="polite">
      <p className="row">
        {node.n === null ? (
          <strong>{nodeName(node)}</strong>
        ) : (
          <a href={hrefOfTrial(id, node.n)}>
            <strong>{node.role === 'baseline' ? `baseline, #${node.n}` : `#${node.n}`}</strong>
          </a>
        )}
        <NodeOutcome node={node} />
        <span>{valueText(node.value, { unit: metric.unit })}</span>
        <span className="quiet">
          {node.value === null ? '' : `mean of ${plural(node.scored, 'run')} with a value · `}
          {plural(node.runs, 'run')} · {node.children === 1 ? '1 child' : `${node.children} children`}
        </span>
        <Unfold node={node} folding={folding} />
      </p>
      <p>
        {node.hypothesis === null ? (
          <span className="quiet">No hypothesis</span>
        ) : (
          <UntrustedText text={node.hypothesis} line max={400} />
        )}
      </p>
    </div>
  );
}

/** Outcome of a candidate with its shape and label, and its role in the search. */
export function NodeOutcome({ node }: { node: Node }) {
  const outcome = outcomeOfNode(node);
  const role = roleLabel(node);
  return (
    <>
      {role === null || role === 'baseline' ? null : <span className="badge role">{role}</span>}
      {outcome === null ? (
        <span className="badge">{node.n === null ? 'not run yet' : 'under way'}</span>
      ) : (
        <OutcomeBadge outcome={outcome} />
      )}
    </>
  );
}

/** Button that unfolds the hidden candidates below a candidate; nothing if there are none. */
export function Unfold({ node, folding: { waiting, done, unfold } }: Pick<Props, 'folding'> & { node: Node }) {
  if (node.hidden === 0) return null;
  // An answer has at most the best 500 children: the others stay hidden.
  if (done.has(node.candidateId)) return <span className="quiet">{node.hidden} more are in the list of trials</span>;
  const waits = waiting.has(node.candidateId);
  return (
    <button type="button" className="button" disabled={waits} onClick={() => unfold(node.candidateId)}>
      {waits ? 'Reading' : `Unfold ${node.hidden} below`}
    </button>
  );
}
