import { z } from 'zod';
import { plural } from '../../text/plural.ts';
import { numberText } from '../../text/format.ts';
import { defineParent } from '../parent.ts';
import { leastInFlight } from './least-in-flight.ts';
import { Descriptor, descriptorsOf } from './map-elites/descriptors.ts';
import { checkDescriptors } from './map-elites/check-descriptors.ts';
import { cellOf } from './map-elites/cell.ts';
import { metricOf } from './tree.ts';

const settings = z.strictObject({
  by: z
    .array(Descriptor)
    .min(1)
    .max(4)
    .exactOptional()
    .describe(
      'descriptors, which span the grid of cells: secondary metrics of the task, or knobs, each with the edges ' +
        'of its bins; default: the first two knobs, each with five even bins on its scale',
    ),
});

/**
 * Keeps the best candidate of each cell of a grid, and draws the parent from these elites. Source: Mouret and Clune,
 * Illuminating search spaces by mapping elites (arXiv 1504.04909, 2015).
 */
export const mapElites = defineParent({
  settings,
  reads: 'lineage',
  reach: () => 1,
  niches: {
    reads: ({ by }, knobs) => {
      const descriptors = descriptorsOf(by, knobs);
      return {
        knobs: descriptors.some(({ kind }) => kind === 'knob'),
        metrics: descriptors.some(({ kind }) => kind === 'metric'),
      };
    },
    nicheOf: (placing, { settings: { by }, knobs }) => cellOf(descriptorsOf(by, knobs), placing),
  },
  problems: ({ by }, task) => checkDescriptors(by, task),
  followsLead: true,
  choose: ({ tree, original, direction }, { random }) => {
    const cells = tree.niches.filter(({ best }) => best.length > 0);
    if (cells.length === 0) return { candidateId: original, reason: 'the original: nothing scored yet' };
    const cell = leastInFlight(cells, random);
    const [elite] = cell.best;
    const value = numberText(metricOf(elite?.value ?? 0, direction));
    return {
      candidateId: elite?.candidateId ?? original,
      niche: cell.key,
      reason: `elite of the cell ${cell.key}, drawn from ${plural(cells.length, 'cell')}: ${value}`,
    };
  },
});
