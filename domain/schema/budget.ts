import { z } from 'zod';
import { TRIAL_KINDS } from '../trial.ts';
import { FIELD_MAXIMA } from './fields.ts';

/** Limits of a research. A spent limit ends the research, or makes it wait for a raise. */
export const Budget = z.strictObject({
  trials: z
    .number()
    .int()
    .positive()
    .max(FIELD_MAXIMA.trials)
    .optional()
    .describe('trials of the kinds in `counts`, including trials under way'),
  proposals: z.number().int().positive().max(FIELD_MAXIMA.trials).optional().meta({
    description: 'all proposals, including copies and rejected ones',
    otherwise: '4 × `trials` + 50',
  }),
  hours: z.number().positive().max(FIELD_MAXIMA.hours).optional().describe('hours under way, without pauses'),
  hoursWithoutClaim: z
    .number()
    .positive()
    .max(FIELD_MAXIMA.hours)
    .optional()
    .describe('hours under way since the last claim, or since the start; then no new proposal starts'),
  slotSeconds: z
    .number()
    .positive()
    .max(FIELD_MAXIMA.slotSeconds)
    .optional()
    .describe('seconds on slots, of trials that have ended'),
  tokens: z
    .number()
    .int()
    .positive()
    .max(FIELD_MAXIMA.tokens)
    .optional()
    .describe('tokens in and out; if an endpoint reports no `usage`, they are estimated (bytes / 3)'),
  usd: z
    .number()
    .positive()
    .max(FIELD_MAXIMA.usd)
    .optional()
    .describe('US dollars; calls of a model without a price in `PERPETUA_PRICES` count as 0'),
  counts: z.array(z.enum(TRIAL_KINDS)).default(['search', 'injected']).describe('kinds that count as trials'),
  whenSpent: z
    .enum(['stop', 'wait'])
    .default('stop')
    .describe('what a spent budget does to the research; `wait`: it waits until the budget is raised'),
});

export type Budget = z.infer<typeof Budget>;

/** Keys of a budget that are limits, in the order in which people see them. */
export const LIMITS = ['trials', 'proposals', 'hours', 'hoursWithoutClaim', 'slotSeconds', 'tokens', 'usd'] as const;
export type Limit = (typeof LIMITS)[number];

/** Names of the limits as options of `perpetua budget`; those of `start` begin with `budget-`. */
export const LIMIT_OPTIONS: Record<Limit, string> = {
  trials: 'trials',
  proposals: 'proposals',
  hours: 'hours',
  hoursWithoutClaim: 'hours-without-claim',
  slotSeconds: 'slot-seconds',
  tokens: 'tokens',
  usd: 'usd',
};
