import { z } from 'zod';
import { At, Value } from './shared.ts';

/** A limit of a budget. `reachedAt`: null where another one comes first, or nothing is spent. `atEnd`: what of it is spent when the research's first limit is reached at the present pace. */
export const BudgetLine = z.object({
  research: z.string(),
  limit: z.string(),
  spent: z.number(),
  of: z.number(),
  atEnd: Value,
  reachedAt: At.nullable(),
  words: z.string(),
});

/** As `rates` of `perpetua status --json`: by the same read. `perClaim` is null before the first claim. */
export const CallRates = z.object({
  requests: z.int(),
  answers: z.int(),
  badRate: Value,
  duplicateRate: Value,
  limitedRate: z.number(),
  latencySeconds: z.object({ p50: z.number(), p95: z.number() }).nullable(),
  perClaim: z.object({ usd: z.number(), tokens: z.number() }).nullable(),
});
export type CallRates = z.infer<typeof CallRates>;

/** `research`: of one alone. */
export const SpendQuery = z.object({
  research: z.string().max(300).optional(),
  by: z.enum(['hour', 'day']).default('hour'),
});

/** `GET spend`: what was spent in each stretch of time (of the last 30 days at most), by model and in all. */
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
      /** Calls without a price: they are not in `usd`. */
      unpriced: z.int(),
    }),
  ),
  /** How calls of models go: shares are 0 to 1, latency is in seconds; null where none was asked. */
  rates: CallRates.nullable(),
  hours: z.object({
    at: z.array(At),
    usd: z.array(z.number()),
    tokens: z.array(z.number()),
    slotSeconds: z.array(z.number()),
  }),
  /** `id` null: checks of tasks, all together. */
  researches: z.array(
    z.object({
      id: z.string().nullable(),
      usd: z.number(),
      tokens: z.number(),
      slotSeconds: z.number(),
      trials: z.int(),
    }),
  ),
  /** Budgets that have a limit, and when it is reached at the speed of the last 24 hours. */
  budgets: z.array(BudgetLine),
  /** Slot seconds that early abort left unspent, by its own tally. */
  savedSeconds: Value,
});
export type Spend = z.infer<typeof Spend>;
