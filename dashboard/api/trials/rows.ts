import { z } from 'zod';
import { At, Kind, Status, Value, Verdict } from '../shared.ts';

export const SORTS = ['n', 'value', 'ended', 'seconds', 'usd'] as const;

/** Filters of a list of trials; each that is given must hold. `text`: in the hypothesis, the reason or the failure, any case. */
export const TrialFilter = z.object({
  kind: Kind.optional(),
  /** `running`: without an outcome. */
  status: z.union([Status, z.literal('running')]).optional(),
  verdict: Verdict.optional(),
  failure: z.string().max(100).optional(),
  text: z.string().max(200).optional(),
});
export type TrialFilter = z.infer<typeof TrialFilter>;

/** `GET research/:id/order`: the numbers of all trials that pass, in order, so that a table can draw any stretch of them. */
export const OrderQuery = TrialFilter.extend({
  sort: z.enum(SORTS).default('n'),
  order: z.enum(['asc', 'desc']).default('desc'),
});
export const Order = z.object({
  /** Each number less the one before it, the first less 0: most lists pack to nearly nothing. */
  steps: z.array(z.int()),
  /** Counts over the whole research, for the filters: by kind, status, verdict and failure. */
  facets: z.object({
    kind: z.record(z.string(), z.int()),
    status: z.record(z.string(), z.int()),
    verdict: z.record(z.string(), z.int()),
    failure: z.record(z.string(), z.int()),
  }),
});
export type Order = z.infer<typeof Order>;

/** `GET research/:id/trials?n=1,2,…`: rows of those numbers, 200 at most, in the order asked for; unknown ones are left out. */
export const RowsQuery = z.object({
  n: z
    .string()
    .regex(/^\d{1,9}(,\d{1,9}){0,199}$/, 'expected up to 200 trial numbers with commas between them')
    .transform((text) => text.split(',').map(Number)),
});
export const TrialRow = z.object({
  trialId: z.string(),
  n: z.int(),
  kind: Kind,
  ofTrial: z.int().nullable(),
  status: Status.nullable(),
  /** Of one under way, in words; `share`: of the budget of its run, where that is known. */
  stage: z.string().nullable(),
  share: Value,
  failure: z.string().nullable(),
  verdict: Verdict,
  value: Value,
  /** False: the task had another metric then, and the value says something else. */
  sameMetric: z.boolean(),
  trusted: z.boolean().nullable(),
  /** Against the baseline, better is positive. */
  gain: Value,
  hypothesis: z.string().nullable(),
  reason: z.string().nullable(),
  proposer: z.string().nullable(),
  slot: z.string().nullable(),
  seconds: Value,
  usd: Value,
  startedAt: At.nullable(),
  endedAt: At.nullable(),
});
export type TrialRow = z.infer<typeof TrialRow>;
export const TrialRows = z.object({ rows: z.array(TrialRow) });
export type TrialRows = z.infer<typeof TrialRows>;
