import { z } from 'zod';
import { numberText } from '../../text/format.ts';
import { defineParent, type LineageView, type ParentChoice } from '../parent.ts';
import { choosePublished } from './puct/published.ts';
import { type Scored, chooseScaled } from './puct/scaled.ts';
import { metricOf } from './tree.ts';

const settings = z.strictObject({
  c: z.number().min(0).max(1000).default(1).describe('weight of exploration against the best value found below a node'),
  variant: z
    .enum(['corrected', 'published'])
    .default('corrected')
    .describe(
      '`corrected`: values scaled by their range, with the own value of a node; ' +
        '`published`: gains over the baseline in units of the metric, only of descendants, 1,000 states',
    ),
});

/** PUCT over the tree of candidates, as the reuse buffer of autoresearch-distillation has it, and corrected. */
export const puct = defineParent({
  settings,
  reads: 'lineage',
  reach: ({ variant }) => (variant === 'published' ? MOST_STATES : FIRST_REACH),
  followsLead: true,
  choose: (view, { settings: { c, variant } }) => {
    const { tree, original } = view;
    const found = variant === 'published' ? choosePublished(tree, { c, most: MOST_STATES }) : chooseScaled(tree, c);
    if (found === 'nothing scored') return { candidateId: original, reason: `the original: ${found} yet` };
    return found && described(found, view);
  },
});

/** Most states of the publication. */
const MOST_STATES = 1000;
/** Nodes that nearly all choices need, in a tree of 100,000 nodes as well. */
const FIRST_REACH = 200;

function described({ node, rank, quality, exploration }: Scored, { direction }: LineageView): ParentChoice {
  const best = node.best === null ? 'nothing scored' : `best ${numberText(metricOf(node.best, direction))}`;
  const score = `${quality.toFixed(3)} + ${exploration.toFixed(3)}`;
  return {
    candidateId: node.candidateId,
    reason:
      `puct ${score} for exploration: ${best} in its branch, rank ${rank}, ` +
      `visits ${node.visits}, in flight ${node.inFlight}`,
  };
}
