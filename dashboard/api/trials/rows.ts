import { z } from 'zod';
import { At, Kind, Status, Value, Verdict } from '../shared.ts';

export const SORTS = ['n', 'value', 'ended', 'seconds', 'usd'] as const;

/**
 * Filters of a list of trials; all must hold. `text`: part of the hypothesis, reason or failure, ignoring case.
 * `since`: ended then or later.
 */
export const TrialFilter = z.object({
  kind: Kind.optional(),
  /** `running`: trials without an outcome. */
  status: z.union([Status, z.literal('running')]).optional(),
  verdict: Verdict.optional(),
  failure: z.string().max(100).optional(),
  text: z.string().max(200).optional(),
  since: At.optional(),
});
export type TrialFilter = z.infer<typeof TrialFilter>;

/** `GET research/:id/order`: the numbers of all trials that pass the filter, in order: a table loads rows by them. */
export const OrderQuery = TrialFilter.extend({
  sort: z.enum(SORTS).default('n'),
  order: z.enum(['asc', 'desc']).default('desc'),
});
export const Order = z.object({
  /** Differences between successive trial numbers, the first from 0: they compress better than the numbers. */
  steps: z.array(z.int()),
  /** Numbers of trials over the whole research, by kind, status, verdict and failure. */
  facets: z.object({
    kind: z.record(z.string(), z.int()),
    status: z.record(z.string(), z.int()),
    verdict: z.record(z.string(), z.int()),
    failure: z.record(z.string(), z.int()),
  }),
});
export type Order = z.infer<typeof Order>;

/** `GET research/:id/trials?n=1,2,…`: at most 200 rows, in the order of the request; unknown numbers are left out. */
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
  /** Stage of a trial under way, in words; null once it has an outcome. */
  stage: z.string().nullable(),
  /** Share of the run's budget that is spent, 0 to 1; null if unknown. */
  share: Value,
  failure: z.string().nullable(),
  verdict: Verdict,
  value: Value,
  /** False: the task had another metric then, so the value cannot be compared. */
  sameMetric: z.boolean(),
  trusted: z.boolean().nullable(),
  /** Gain over the baseline; positive is better. */
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
