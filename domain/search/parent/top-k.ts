import { z } from 'zod';
import { drawByWeight } from '../../statistics/draw-by-weight.ts';
import { numberText } from '../../text/format.ts';
import { defineParent } from '../parent.ts';
import { metricOf } from './tree.ts';

const settings = z.strictObject({
  k: z.number().int().min(1).max(1000).default(10).describe('best candidates that it draws from'),
  by: z
    .enum(['uniform', 'rank'])
    .default('uniform')
    .describe('`uniform`: each with the same probability; `rank`: the best k times as often as the last of them'),
});

/** Draws the parent from the best candidates. With `rank` the weights fall linearly from k to 1. */
export const topK = defineParent({
  settings,
  reads: 'lineage',
  reach: ({ k }) => k,
  followsLead: true,
  choose: ({ tree, original, direction }, { settings: { k, by }, random }) => {
    const best = tree.byValue.slice(0, k);
    const index = by === 'uniform' ? random.below(best.length) : drawByWeight(linearWeights(best), random);
    const node = best[index];
    if (!node || node.value === null) return { candidateId: original, reason: 'the original: nothing scored yet' };
    const value = numberText(metricOf(node.value, direction));
    return {
      candidateId: node.candidateId,
      reason: `drawn ${by === 'rank' ? 'by rank' : 'evenly'} from the best ${best.length}: rank ${index + 1}, ${value}`,
    };
  },
});

/** Weights n, n − 1, …, 1 of n items. */
const linearWeights = (items: readonly unknown[]): number[] => items.map((_, index) => items.length - index);
