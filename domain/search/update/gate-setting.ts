import { z } from 'zod';
import { ADJUSTABLE } from '../../learning/gates/adjust.ts';
import { METRICS } from '../../learning/gates/metrics.ts';

/** A rule on a number of an update, as a task writes it. */
export const GateSetting = z
  .strictObject({
    metric: z.enum(METRICS),
    below: z.number().exactOptional(),
    above: z.number().exactOptional(),
    updates: z.number().int().min(1).max(1000).exactOptional().describe('updates in a row that cross it; default: 1'),
    then: z.enum(['tell', 'adjust', 'halt']),
    adjust: z
      .strictObject({
        key: z.enum(ADJUSTABLE).describe('setting that is multiplied'),
        by: z.number().positive(),
        most: z.number().positive().exactOptional(),
      })
      .exactOptional(),
  })
  .superRefine(({ below, above, then, adjust }, context) => {
    const refuse = (path: string[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    if (below === undefined && above === undefined) refuse(['below'], 'a border: below, above or both');
    if (then === 'adjust' && adjust === undefined) refuse(['adjust'], 'key and by, since then is adjust');
    if (then !== 'adjust' && adjust !== undefined) refuse(['adjust'], `none, since then is ${then}`);
  });
