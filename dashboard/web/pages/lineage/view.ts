import type { Research } from '../../../api/research.ts';
import type { Tree } from '../../../api/tree.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { treeDrawing } from '../../../../view/figure/drawings/tree.ts';
import { stemOf, type ExportedView } from '../../../../view/figure/exported-view.ts';
import { visibleLine } from '../../../../view/figure/visible-line.ts';
import { OUTCOME_SHAPE_NAMES } from '../../parts/outcome/outcome-shape-names.ts';
import type { Forest } from './forest.ts';
import { layoutOf } from './layout.ts';
import { nodeName, outcomeOfNode } from './node-labels.ts';
import { stepsOf } from './steps.ts';

interface ViewInput {
  id: string;
  research: Research;
  tree: Tree;
  forest: Forest;
}

/** Exported view of the lineage: the steps to the best, and the tree as far as it is unfolded. */
export function lineageView({ id, research, tree, forest }: ViewInput): ExportedView {
  const { metric, claims, status, now } = research;
  const unit = unitText(metric.unit);
  const sd = status.baseline?.sd ?? null;
  const steps = stepsOf({ tree, claims, direction: metric.direction });
  const path = new Set(tree.path);
  const { places, box } = layoutOf(forest, path);
  const last = steps.at(-1);
  return {
    stem: stemOf('perpetua', id, 'lineage'),
    title: `Lineage of ${visibleLine(id, 200)}`,
    subtitle: `${tree.candidates} candidates; ${visibleLine(metric.name, 60)} (${metric.direction})`,
    at: new Date(now),
    facts: [
      { label: 'Steps to the best', value: String(Math.max(0, steps.length - 1)) },
      {
        label: 'Over the baseline',
        value: typeof last?.total === 'number' ? `${formatSigned(last.total, sd)}${unit}` : '–',
      },
    ],
    drawings: [
      treeDrawing(
        {
          title: `Lineage of ${visibleLine(id, 80)}`,
          box,
          places: places.map(({ node, x, y, parent }) => {
            const outcome = outcomeOfNode(node);
            const value = node.value === null ? '' : ` ${formatValue(node.value, sd)}`;
            return {
              x,
              y,
              parent,
              chosen: path.has(node.candidateId),
              words: path.has(node.candidateId) ? `${nodeName(node)}${value}` : nodeName(node),
              folded: node.hidden,
              shape: outcome === null ? 'ring' : OUTCOME_SHAPE_NAMES[outcome],
              role: outcome ?? 'ink-2',
            };
          }),
        },
        paperPalette,
      ),
    ],
    sections: [
      {
        title: 'From the baseline to the best',
        table: {
          columns: [
            'trial',
            visibleLine(metric.name, 60),
            'over the step before',
            'over the baseline',
            'claimed',
            'hypothesis',
          ],
          rows: steps.map(({ node, gain, total, claim }) => [
            nodeName(node),
            formatValue(node.value, sd),
            gain === null ? null : formatSigned(gain, sd),
            total === null ? null : formatSigned(total, sd),
            claim === null ? 'no' : 'yes',
            visibleLine(node.hypothesis ?? '', 500),
          ]),
        },
        numbers: [1, 2, 3],
      },
    ],
    data: {
      columns: [
        'candidate',
        'parent',
        'trial',
        'value',
        'runs',
        'status',
        'verdict',
        'role',
        'children',
        'folded_below',
        'hypothesis',
      ],
      rows: places.map(({ node }) => [
        node.candidateId,
        node.parentId,
        node.n,
        node.value,
        node.runs,
        node.status,
        node.verdict,
        node.role,
        node.children,
        node.hidden,
        node.hypothesis,
      ]),
    },
  };
}
