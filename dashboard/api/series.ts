import { z } from 'zod';
import { SERIES_AXES } from '../../view/page/series/axis.ts';
import { At, Value } from './shared.ts';

export { SERIES_AXES, type Axis } from '../../view/page/series/axis.ts';

/** `buckets`: approximate limit of dots; thinning keeps each interval's extremes and rare outcomes. 0: every trial. */
export const SeriesQuery = z.object({
  x: z.enum(SERIES_AXES).default('trial'),
  buckets: z.coerce.number().int().min(0).max(20_000).default(0),
});

/**
 * `GET research/:id/series`: columns of equal length with one entry for each ended trial, in the order of x. A trial
 * without a value has null.
 */
export const Series = z.object({
  x: z.enum(SERIES_AXES),
  dots: z.object({
    n: z.array(z.int()),
    x: z.array(z.number()),
    value: z.array(Value),
    outcome: z.array(z.int()),
  }),
  /** Number of trials that the dots represent; larger than the number of dots if they were thinned. */
  total: z.int(),
  /** Best run of a proposal so far, not corrected for selection: one entry for each change. */
  rawBest: z.object({ x: z.array(z.number()), value: z.array(z.number()), n: z.array(z.int()) }),
  /** Claims as steps with 95 % intervals, after the baseline: the present one as estimated now, others as made. */
  claims: z.object({
    x: z.array(z.number()),
    value: z.array(z.number()),
    low: z.array(Value),
    high: z.array(Value),
    n: z.array(z.int().nullable()),
    runs: z.array(z.int()),
  }),
  /** Mean of the unmodified version and the sd of one run: the noise band. */
  baseline: z.object({ value: z.number(), sd: Value }).nullable(),
  /** The lead: the candidate from which the search goes on, which is no claim. */
  lead: z.object({ n: z.int().nullable(), value: z.number(), estimate: Value }).nullable(),
  optimum: Value,
  /** The last x; for a research that goes on, its present x. */
  end: z.number(),
  startedAt: At,
});
export type Series = z.infer<typeof Series>;
