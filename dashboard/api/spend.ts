import { z } from 'zod';
import { At, Value } from './shared.ts';

/**
 * A limit of a budget, with a forecast from the pace of the last hours.
 * `reachedAt`: null if another limit comes first, the limit is spent already, or nothing is being spent.
 * `atEnd`: amount spent when the research reaches its first limit; null if it reaches none.
 */
export const BudgetLine = z.object({
  research: z.string(),
  limit: z.string(),
  spent: z.number(),
  of: z.number(),
  atEnd: Value,
  reachedAt: At.nullable(),
  words: z.string(),
});

/** The `rates` of `perpetua status --json`, by the same read. `perClaim` is null before the first claim. */
export const CallRates = z.object({
  requests: z.int(),
  answers: z.int(),
  badRate: Value,
  duplicateRate: Value,
  limitedRate: z.number(),
  latencySeconds: z.object({ p50: z.number(), p95: z.number() }).nullable(),
  unpriced: z.int(),
  perClaim: z.object({ usd: z.number(), tokens: z.number() }).nullable(),
});
export type CallRates = z.infer<typeof CallRates>;

/** `research`: the only research to count; absent: all of them. */
/** `ahead`: minutes by which the zone whose days and hours are counted is ahead of UTC. */
export const SpendQuery = z.object({
  research: z.string().max(300).optional(),
  by: z.enum(['hour', 'day']).default('hour'),
  ahead: z.coerce.number().int().min(-1440).max(1440).default(0),
});

/** `GET spend`: the spend in total, by model, by research, and by hour or day over the last 30 days at most. */
export const Spend = z.object({
  total: z.object({
    usd: z.number(),
    tokensIn: z.number(),
    tokensOut: z.number(),
    calls: z.int(),
    repeatedCalls: z.int(),
    slotSeconds: z.number(),
  }),
  models: z.array(
    z.object({
      model: z.string(),
      calls: z.int(),
      repeated: z.int(),
      tokensIn: z.number(),
      tokensOut: z.number(),
      usd: z.number(),
      /** Number of answered calls without a price: `usd` does not contain them. */
      unpriced: z.int(),
    }),
  ),
  /** Health of the model calls: rates are 0 to 1, latency is in seconds; null if there were no calls. */
  rates: CallRates.nullable(),
  hours: z.object({
    at: z.array(At),
    usd: z.array(z.number()),
    tokens: z.array(z.number()),
    slotSeconds: z.array(z.number()),
  }),
  /** Spend by research; the entry with `id` null sums all task checks. */
  researches: z.array(
    z.object({
      id: z.string().nullable(),
      usd: z.number(),
      tokens: z.number(),
      slotSeconds: z.number(),
      trials: z.int(),
    }),
  ),
  /** The limits that are set, each with a forecast from the pace of the last 24 hours. */
  budgets: z.array(BudgetLine),
  /** Slot seconds that early abort saved, by its own tally; null if it stopped no run. */
  savedSeconds: Value,
});
export type Spend = z.infer<typeof Spend>;
