import { z } from 'zod';
import { TRIAL_KINDS } from '../../trial.ts';
import { MOST } from './fields.ts';

/** Limits that end a research, or make it wait for a raise. Pauses do not count as hours. */
export const Budget = z.strictObject({
  trials: z.number().int().positive().max(MOST.trials).optional(),
  proposals: z
    .number()
    .int()
    .positive()
    .max(MOST.trials)
    .optional()
    .describe('all proposals, copies and rejected ones too; default: 4 × trials + 50'),
  hours: z.number().positive().max(MOST.hours).optional(),
  slotSeconds: z
    .number()
    .positive()
    .max(MOST.slotSeconds)
    .optional()
    .describe('seconds on slots, of runs that have ended'),
  tokens: z.number().int().positive().max(MOST.tokens).optional(),
  usd: z.number().positive().max(MOST.usd).optional(),
  counts: z.array(z.enum(TRIAL_KINDS)).default(['search', 'injected']).describe('kinds that count as trials'),
  whenSpent: z.enum(['stop', 'wait']).default('stop'),
});

export type Budget = z.infer<typeof Budget>;

/** Keys of a budget that are limits, in the order in which people read them. */
export const LIMITS = ['trials', 'proposals', 'hours', 'slotSeconds', 'tokens', 'usd'] as const;
export type Limit = (typeof LIMITS)[number];
