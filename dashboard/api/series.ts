import { z } from 'zod';
import { SERIES_AXES } from '../../view/page/series/axis.ts';
import { At, Value } from './shared.ts';

export { SERIES_AXES, type Axis } from '../../view/page/series/axis.ts';

/** `buckets`: at most so many dots, by the extremes and the rare outcomes of each stretch of x; 0: every trial. */
export const SeriesQuery = z.object({
  x: z.enum(SERIES_AXES).default('trial'),
  buckets: z.coerce.number().int().min(0).max(20_000).default(0),
});

/**
 * `GET research/:id/series`: columns of equal length, one place for each ended trial, in the order of x. Trials without a
 * value have null.
 */
export const Series = z.object({
  x: z.enum(SERIES_AXES),
  dots: z.object({
    n: z.array(z.int()),
    x: z.array(z.number()),
    value: z.array(Value),
    outcome: z.array(z.int()),
  }),
  /** Trials that the dots stand for; more than dots where they were thinned. */
  total: z.int(),
  /** Best run of a proposal so far, not corrected for selection: a step where it changes. */
  rawBest: z.object({ x: z.array(z.number()), value: z.array(z.number()), n: z.array(z.int()) }),
  /** Claims as steps with the interval of 95 % of their mean; the first is the baseline. */
  claims: z.object({
    x: z.array(z.number()),
    value: z.array(z.number()),
    low: z.array(Value),
    high: z.array(Value),
    n: z.array(z.int().nullable()),
  }),
  /** Mean of the unmodified version and the sd of one run of it: the noise band. */
  baseline: z.object({ value: z.number(), sd: Value }).nullable(),
  /** Where the search stands, which is no claim. */
  lead: z.object({ n: z.int().nullable(), value: z.number(), estimate: Value }).nullable(),
  optimum: Value,
  /** The last x: now, for a research that goes on. */
  end: z.number(),
  startedAt: At,
});
export type Series = z.infer<typeof Series>;
